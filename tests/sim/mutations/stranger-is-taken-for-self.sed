# A token of the caller that the key has already counts as this call's own.
# file: ext/core/lock/rl_acquire.c
s/is_given && rl_token_is_drawn\(acquire->given\)/is_given/
