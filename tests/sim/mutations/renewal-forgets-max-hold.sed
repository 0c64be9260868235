# A renewal sets an end beyond maxHold.
# file: ext/core/rl_watch.c
/^int64_t rl_watch_ttl\(/,/^}/s/watched->hold_until != RL_NEVER/false \&\& now != RL_NEVER/
