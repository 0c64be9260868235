# The greatest fencing number of a quorum counts as written back when one member too few has it
# file: ext/core/lock/rl_plain.c
/^static bool begin_write_back/,/^}/s/holders >= rl_quorum/holders + 1 >= rl_quorum/
