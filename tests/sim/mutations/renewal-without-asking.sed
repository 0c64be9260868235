# A renewal that was redirected by ASK is sent without ASKING.
# file: ext/core/conn/rl_errand.c
# clusters
/^static void follow_to/,/^}/s/(errand->sent\.is_asking =) is_asking;/\1 is_asking \&\& errand->terms->request.verb != RL_VERB_RENEW;/
