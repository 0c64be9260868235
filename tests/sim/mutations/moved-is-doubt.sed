# A command that was redirected counts as in doubt.
# file: ext/core/conn/rl_errand.c
# clusters
s/^(\terrand->sent\.is_asking = redirect\.kind == .*)$/\1\n\terrand->doubt = RL_DOUBT_UNKNOWN;/
