# The proof of a take-over counts from the first of several swaps, although a later swap has set the TTL
# file: ext/core/conn/rl_errand.c
/^static void send_command/,/^}/s/^\tchannel->sent_at = .*//
