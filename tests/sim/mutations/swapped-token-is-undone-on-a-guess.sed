# A caller's token is released where its swap has found it already.
# file: ext/core/conn/rl_errand.c
s/errand->answer.number == RL_SWAPPED_NOW &&/true \&\&/
