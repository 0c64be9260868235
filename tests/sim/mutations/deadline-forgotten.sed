# A wait goes on after its deadline.
# file: ext/core/lock/rl_acquire.c
s/return now >= acquire->deadline \|\|/return now - RL_NS_PER_SECOND >= acquire->deadline ||/
