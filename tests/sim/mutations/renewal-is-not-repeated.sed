# A renewal that a server has answered with an error is not asked for again.
# file: ext/core/lease/rl_renewal.c
/^bool rl_renewal_must_ask_again\(/,/^}/s/member->vote == RL_VOTE_FAILED \|\|//
