# Redirects are followed as long as there are any.
# file: ext/core/wire/rl_route.h
# clusters
s/^(#define RL_HOPS_MAX) .*/\1 250/
