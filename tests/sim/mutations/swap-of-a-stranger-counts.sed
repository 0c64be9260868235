# A swap counts although another client has set the same token.
# file: ext/core/conn/rl_errand.c
# unit: test_acquire_own_token
/^static rl_vote vote_of/,/^}/s/answer->number == RL_SWAPPED_BEFORE/false/
