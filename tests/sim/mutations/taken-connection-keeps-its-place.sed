# A connection that is taken from the pool still links to the next idle one.
# file: ext/core/conn/rl_pool.c
/^rl_conn \*rl_pool_take\(/,/^\}/s/^\tconn->next = NULL;//
