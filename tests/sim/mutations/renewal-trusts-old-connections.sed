# With failover_grace a renewal counts that is answered on a connection from after the Sentinels were asked
# file: ext/core/lease/rl_renewer_servers.c
# mode: grace
# sentinels
/^static bool is_before_login/,/^}/s/return has_grace\(member\) &&/return false \&\& has_grace(member) \&\&/
