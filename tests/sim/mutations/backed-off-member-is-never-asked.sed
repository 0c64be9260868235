# A member that is backed off is not asked, also if the others cannot decide.
# file: ext/core/conn/rl_errand.c
/^void rl_errand_call_up\(/,/^\}/s/errand->state == RL_ERRAND_BACKED_OFF/false/
