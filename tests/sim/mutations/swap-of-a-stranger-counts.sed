# A swap counts although another client has set the same token.
# file: ext/core/conn/rl_errand.c
/^static rl_vote vote_of/,/^}/s/answer->number == RL_SWAPPED_BEFORE/false/
