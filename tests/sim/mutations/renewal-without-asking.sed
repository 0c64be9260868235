# A renewal that was redirected by ASK is sent without ASKING.
# file: ext/core/conn/rl_errand.c
# clusters
/^static bool follow/,/^}/s/(errand->sent\.is_asking =) redirect\.kind == RL_REDIRECT_ASK;/\1 redirect.kind == RL_REDIRECT_ASK \&\& errand->terms->request.verb != RL_VERB_RENEW;/
