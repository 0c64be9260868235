# A member that has not answered is not told to take the token back.
# file: ext/core/lock/rl_quorum_call.c
s/bool is_unanswered = .*/bool is_unanswered = false;/
