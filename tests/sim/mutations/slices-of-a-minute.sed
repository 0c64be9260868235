# A place in the queue is given up each minute.
# file: ext/core/lock/rl_queue.h
# mode: fair
s/^(#define RL_QUEUE_SLICE_NS) .*/\1 (60 * RL_NS_PER_SECOND)/
