# The time of grace is one second too short: the old primary may still prolong a lock in it
# file: ext/core/conn/rl_grace.c
# mode: grace
# sentinels
s/return route->grace_ns;/return route->grace_ns - RL_CHECK_NS;/
