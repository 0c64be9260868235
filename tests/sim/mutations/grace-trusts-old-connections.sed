# With failover_grace an answer counts that comes on a connection from before the node became a replica
# file: ext/core/lock/rl_member_call.c
# mode: grace
# sentinels
s/ &&$/ \&\&/
/^static bool was_asked_in_time/,/^}/s/rl_member_grace_is_since_login\(member\)/member != NULL/
/^static bool must_check/,/^}/s/!rl_member_grace_is_since_login\(member\) \|\| //
