# An undo behind a command that needed ASKING is sent without it.
# file: ext/core/conn/rl_conn.c
# clusters
s/^(\t\t)\.is_asking = request->is_asking\};/\1.is_asking = false};/
