# A server behind Sentinels that says that it is a replica counts as a primary.
# file: ext/core/conn/rl_conn.c
/LITERAL\(REPLICA_ERROR\)/,/login_refused/s/login_refused/login_passed/
