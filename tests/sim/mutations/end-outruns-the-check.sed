# An answer that is still checked is forgotten when the connection ends behind it
# file: ext/core/lock/rl_member_call.c
# sentinels
/^static void read_all/,/^}/s/!is_answered\(member\)/member->state != RL_MEMBER_CALL_DONE/
