# A place counts as taken after its connection was handed over.
# file: ext/core/lock/rl_queue.c
s/\(place->errand.state == RL_ERRAND_DONE \&\& .*\);/false;/
