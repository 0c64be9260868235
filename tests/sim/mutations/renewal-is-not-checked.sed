# A renewal counts, whichever primary the Sentinels name by then
# file: ext/core/conn/rl_errand.c
# sentinels
/^static bool must_check/,/^}/s/request\.verb == RL_VERB_PROBE \|\|/request.verb == RL_VERB_PROBE || errand->terms->request.verb == RL_VERB_RENEW ||/
