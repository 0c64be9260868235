# A lock that too few replicas confirm is not released
# file: ext/core/conn/rl_errand.c
/^static bool may_undo\(/,/^}/s/if \(undo == RL_UNDO_NOTHING \|\|/if (rl_errand_is_unconfirmed(errand) || undo == RL_UNDO_NOTHING ||/
