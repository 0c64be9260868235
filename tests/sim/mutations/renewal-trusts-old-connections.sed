# With failover_grace a renewal counts that is answered on a connection from after the Sentinels were asked
# file: ext/core/lease/rl_renewer_nodes.c
# mode: grace
# sentinels
/^static bool is_too_new/,/^}/s/conn == NULL \|\| route->named_at < conn->ready_at \|\|/conn == NULL ||/
