# The watchdog does not follow redirects.
# file: ext/core/lease/rl_renewer_servers.c
# clusters
s/redirect\.kind == RL_REDIRECT_NONE \|\|/true ||/
