# With failover_grace an answer counts that comes on a connection from before the node became a replica
# file: ext/core/conn/rl_errand.c
# mode: grace
# sentinels
s/ &&$/ \&\&/
/^static bool was_asked_in_time/,/^}/s/is_since_login\(errand\)/errand != NULL/
/^static bool must_check/,/^}/s/!is_since_login\(errand\) \|\| //
