# A wait goes on beyond its deadline while the Sentinels are silent
# file: ext/core/conn/rl_errand.c
# sentinels
s/tick->seen >= errand->budget_max/tick->seen == RL_NEVER/
s/rl_wait_until\(wait, errand->budget_max\)/rl_wait_until(wait, RL_NEVER)/
