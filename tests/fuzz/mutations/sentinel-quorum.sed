# Half of the Sentinels are a quorum.
# file: ext/core/conn/rl_lookup.c
/^static unsigned quorum_of/,/^}/s/rl_quorum\(route->seed_count\)/(route->seed_count + 1) \/ 2/
