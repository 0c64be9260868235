# A server that refuses to say its role counts as a primary, whatever the reason.
# file: ext/core/conn/rl_conn.c
/^static rl_conn_event_type role_answered/,/^}/s/is_without_role\(reply\) \? login_passed\(conn\) : login_refused\(conn\)/login_passed(conn)/
