# A command that was redirected counts as in doubt.
# file: ext/core/conn/rl_errand.c
# clusters
/^static void follow_to/,/^}/s/^(\terrand->sent\.is_asking = is_asking;)$/\1\n\terrand->doubt = RL_DOUBT_UNKNOWN;/
