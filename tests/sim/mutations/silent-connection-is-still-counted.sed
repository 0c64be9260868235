# The pool counts a connection as idle whose reply was overdue, and which lingers now.
# file: ext/core/conn/rl_pool.c
/^static bool look_after\(/,/^\}/s/^\tpool->count--;//
