# A new primary takes tokens over at once, in spite of failover_grace
# file: ext/core/conn/rl_grace.c
# mode: grace
# sentinels
s/bool is_take_over = request->verb == RL_VERB_SWAP &&/bool is_take_over = false \&\&/
