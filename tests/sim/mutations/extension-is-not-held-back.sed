# A new primary prolongs locks at once, in spite of failover_grace
# file: ext/core/conn/rl_grace.c
# mode: grace
# sentinels
/^static bool prolongs/,/^}/s/request->verb == RL_VERB_EXTEND \|\| //
