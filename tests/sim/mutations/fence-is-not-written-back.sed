# The greatest fencing number of a quorum is not written back to a quorum.
# file: ext/core/lock/rl_plain.c
/^static bool begin_write_back\(/,/^}/s/holders >= rl_quorum\(call->terms.set->count\)/holders >= 1/
