# The watchdog takes READONLY for a renewal that was granted.
# file: ext/core/lease/rl_renewer_errands.c
/^static void note_outcome/,/^}/s/member->told = is_failure \?/member->told = strcmp(one->err.code, "READONLY") == 0 ? RL_VOTE_GRANTED : is_failure ?/
