# A renewal that a server has answered with an error is not asked for again.
# file: ext/core/lease/rl_renewer.c
/^static bool is_to_be_asked_again\(/,/^}/s/member->vote == RL_VOTE_FAILED \|\|//
