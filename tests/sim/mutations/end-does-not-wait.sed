# A connection is ended while its server waits for a replica
# file: ext/core/conn/rl_conn.c
s/if \(conn->waits_left == 0\)/if (true)/
