# A new primary prolongs locks at once, in spite of failover_grace
# file: ext/core/lock/rl_member_grace.c
# mode: grace
# sentinels
/^static int64_t needed_age/,/^}/s/return verb == RL_VERB_EXTEND \? .* : 0;/return 0;/
