# The release of a drawn token waits for the login, while a quorum decides.
# file: ext/core/lock/rl_member_call.c
s/call->request\.verb == RL_VERB_RELEASE && rl_token_is_drawn\(call->request\.token\)/(void) rl_token_is_drawn, false/
