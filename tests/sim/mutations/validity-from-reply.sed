# Proof counts from when the answer came, not from before the command was sent.
# file: ext/core/lock/rl_acquire.c
/^static bool on_granted\(/,/^}/s/int64_t sent_at = rl_quorum_call_sent_at\(call\);/int64_t sent_at = tick->now;/
