# A wait goes on beyond its deadline while the Sentinels are silent
# file: ext/core/conn/rl_errand.c
# sentinels
s/rl_time_earlier\(now \+ lookup_time\(errand\), errand->budget_max\)/RL_NEVER/
