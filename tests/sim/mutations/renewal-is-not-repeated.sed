# A renewal that a server has answered with an error is not asked for again.
# file: ext/core/rl_watch.c
/^static bool is_to_be_asked_again\(/,/^}/s/seat->vote == RL_VOTE_FAILED \|\|//
