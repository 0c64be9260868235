# One Sentinel alone decides which node is the primary
# file: ext/core/conn/rl_lookup.c
# sentinels
s/: rl_quorum\(route->seed_count\);/: 1;/
