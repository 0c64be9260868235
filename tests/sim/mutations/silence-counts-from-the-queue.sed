# A connection counts as silent from the moment at which its commands were queued, sent or not
# file: ext/core/conn/rl_conn.c
# unit: test_pool_unheard
/^void rl_conn_note_pending/,/^}/s/conn->pending_count > 0 && conn->transport->sent\(conn->link\) > 0/conn->pending_count > 0/
