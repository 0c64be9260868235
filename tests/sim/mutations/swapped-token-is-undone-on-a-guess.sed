# A caller's token is released where its swap has found it already.
# file: ext/core/lock/rl_quorum_call.c
s/member->answer.number == RL_SWAPPED_NOW &&/true \&\&/
