# The watchdog does not follow redirects.
# file: ext/core/conn/rl_errand.c
# clusters
/^static bool follow/,/^}/s/if \(redirect\.kind == RL_REDIRECT_NONE\)/if (redirect.kind == RL_REDIRECT_NONE || errand->terms->request.verb == RL_VERB_RENEW)/
