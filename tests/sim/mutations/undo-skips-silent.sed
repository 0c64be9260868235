# A member that has not answered is not told to take the token back.
# file: ext/core/lock/rl_quorum_call.c
/^static bool may_undo\(/,/^}/s/\(member->doubt == RL_DOUBT_UNKNOWN \|\| rl_member_call_is_unanswered\(member\)\)/false/
