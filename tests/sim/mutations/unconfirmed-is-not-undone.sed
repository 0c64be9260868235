# A lock that too few replicas confirm is not released
# file: ext/core/lock/rl_quorum_call.c
/^static bool may_undo\(/,/^}/s/if \(undo == RL_UNDO_NOTHING \|\|/if (rl_errand_is_unconfirmed(member) || undo == RL_UNDO_NOTHING ||/
