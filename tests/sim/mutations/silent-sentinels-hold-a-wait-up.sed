# A wait goes on beyond its deadline while the Sentinels are silent
# file: ext/core/lock/rl_member_call.c
# sentinels
s/tick->seen >= member->budget_max/tick->seen == RL_NEVER/
s/rl_wait_until\(wait, member->budget_max\)/rl_wait_until(wait, RL_NEVER)/
