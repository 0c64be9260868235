# A call that is given up leaves what it may have taken.
# file: ext/core/lock/rl_acquire.c
/^void rl_acquire_abandon\(/,/^}/s/RL_UNDO_ALL/RL_UNDO_NOTHING/
