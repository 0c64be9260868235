# The clock of one node is used for a lock that was won at another one.
# file: ext/core/lock/rl_queue.c
# clusters
# rare
s/!rl_target_equal\(sample->node, errand->node\)/false/
