# WAIT is written behind the try in the queue, whether or not the try takes the lock
# file: ext/core/conn/rl_conn.c
# unit: test_conn_replicas
s/request->place == RL_PLACE_QUEUED\)/false)/
