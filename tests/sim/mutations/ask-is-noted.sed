# The node that an ASK names is noted for the slot, like that of a MOVED
# file: ext/core/wire/rl_route.c
# clusters
/^rl_target \*rl_route_follow/,/^}/s/redirect->kind == RL_REDIRECT_MOVED/redirect->kind != RL_REDIRECT_NONE/
