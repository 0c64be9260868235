# Proof counts from when the answer came, not from before the command was sent.
# file: ext/core/rl_acquire.c
/^static bool on_granted\(/,/^}/s/int64_t sent_at = rl_exchange_sent_at\(exchange\);/int64_t sent_at = tick->now;/
