# The watchdog takes READONLY for an answer, and asks no other server.
# file: ext/core/rl_watch_server.c
/^static void on_renewal_answered\(/,/^}/s/leave_wrong_server\(seat, now\);/seat->watched->renew_at = RL_NEVER;\n\t\tseat->watched->is_in_round = false;/
