# Of several permits a woken try takes a free permit before the permit that is reserved for it.
# file: ext/model/rl_store.c
# kinds
/^static unsigned choose\(/,/^}/s/int free_rank = is_probe \? RANK_FIRST : RANK_SECOND/int free_rank = RANK_FIRST/
/^static unsigned choose\(/,/^}/s/RL_PLACE_NONE \? RANK_FIRST/RL_PLACE_NONE ? RANK_SECOND/
