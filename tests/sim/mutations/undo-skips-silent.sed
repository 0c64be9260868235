# A member that has not answered is not told to take the token back.
# file: ext/core/rl_exchange.c
s/bool is_unanswered = .*/bool is_unanswered = false;/
