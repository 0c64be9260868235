# The question to the Sentinels is dated by the time of the step, and the login by a later reading of the clock
# file: ext/core/conn/rl_sentinel.c
# mode: grace
# sentinels
s/rl_channel_flush\(&sentinel->channel, env->now\(env->ctx\)\);/(void) env; rl_channel_flush(\&sentinel->channel, lookup->begun_at);/
