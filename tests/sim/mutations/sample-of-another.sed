# The clock of one member is taken for that of another.
# rare
# file: ext/core/rl_queue.c
s/ \|\| sample->member != queue->member\)/)/
