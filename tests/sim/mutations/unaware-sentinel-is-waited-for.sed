# A Sentinel that does not know the service counts as a Sentinel that has not answered.
# file: ext/core/conn/rl_lookup.c
# sentinels
/RL_REPLY_NIL\) \{$/{n;s/sentinel->stage = RL_SENTINEL_UNAWARE;//}
