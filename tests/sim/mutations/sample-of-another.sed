# The clock of one member is taken for that of another.
# rare
# file: ext/core/lock/rl_queue.c
s/ \|\| sample->member != queue->member\)/)/
