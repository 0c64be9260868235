# The primary is the one that any Sentinel names
# file: ext/core/conn/rl_lookup.c
# sentinels
s/: rl_quorum\(route->seed_count\);/: 1;/
