# The watchdog takes READONLY for an answer, and asks no other server.
# file: ext/core/lease/rl_renewer_servers.c
/^static void on_renewal_error\(/,/^}/s/leave_wrong_server\(member, now\);/member->renewal->renew_at = RL_NEVER;\n\t\tmember->renewal->stage = RL_RENEWAL_IDLE;/
