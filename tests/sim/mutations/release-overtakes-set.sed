# A connection that owes the answer to a SET is closed, and the release goes on another: it can overtake the SET.
# file: ext/core/conn/rl_pool.c
/^void rl_pool_give\(/,/^}/s/(\tnotice_fork\(pool\);)/\1\n\tif (conn->pending_count > 0) {\n\t\trl_conn_free(conn);\n\t\treturn;\n\t}/
