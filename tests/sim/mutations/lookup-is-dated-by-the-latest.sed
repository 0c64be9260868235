# What the Sentinels have named counts from when the last of them was asked, not the first
# file: ext/core/conn/rl_lookup.c
# sentinels
/^static bool note_primary/,/^}/s/int64_t asked_at = RL_NEVER;/int64_t asked_at = 0;/
/^static bool note_primary/,/^}/s/asked_at = rl_time_earlier\(asked_at, (sentinel->channel.sent_at)\);/asked_at = \1 > asked_at ? \1 : asked_at;/
