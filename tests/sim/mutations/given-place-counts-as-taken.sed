# A place counts as taken after its connection was handed over.
# file: ext/core/lock/rl_queue.c
/^rl_conn \*rl_queue_hand_over\(/,/^\}/s/^\tqueue->state = RL_QUEUE_OUT;//
