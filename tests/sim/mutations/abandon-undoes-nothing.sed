# A call that is given up leaves what it may have taken.
# file: ext/core/lock/rl_acquire.c
/^static void abandon\(/,/^}/s/RL_UNDO_ALL/RL_UNDO_NOTHING/
