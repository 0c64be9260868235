# No empty command follows when BLPOP is answered and the try is not.
# file: ext/core/lock/rl_queue.c
s/queue->state == RL_QUEUE_WOKEN && !rl_conn_is_confirming\(queue->channel.conn\)/false/
