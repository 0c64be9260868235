# A wait ends when the connection of its place in the queue is closed.
# file: ext/core/lock/rl_acquire.c
/^static bool on_queue_lost\(/,/^}/s/err->status == RL_ERR_MEMORY/err->status == RL_ERR_CLOSED/
