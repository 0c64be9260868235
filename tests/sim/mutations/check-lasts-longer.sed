# What the Sentinels have named counts for five seconds
# file: ext/core/wire/rl_route.h
# sentinels
s/^(#define RL_CHECK_NS) .*/\1 (5 * RL_NS_PER_SECOND)/
