# The greatest fencing number of a quorum is not written back to a quorum.
# file: ext/core/lock/rl_plain.c
/^static bool begin_write_back\(/,/^}/s/call->set->count == 1/call->set->count != 0/
