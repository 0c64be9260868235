# A new primary takes tokens over at once, in spite of failover_grace
# file: ext/core/lock/rl_member_grace.c
# mode: grace
# sentinels
/^static int64_t needed_age/,/^}/s/ \|\| verb == RL_VERB_SWAP \|\|/ ||/
