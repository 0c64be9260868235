# An answer that is still checked is forgotten when the connection ends behind it
# file: ext/core/conn/rl_errand.c
# unit: test_errand_sentinel
/^static void read_all/,/^}/s/!is_answered\(errand\)/errand->state != RL_ERRAND_DONE/
