# A connection is ended while its server waits for a replica
# file: ext/core/conn/rl_conn.c
s/conn->has_ended = conn->waits_left == 0;/conn->has_ended = true;/
