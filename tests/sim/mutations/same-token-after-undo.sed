# The token that an undo was written for is used again.
# file: ext/core/lock/rl_acquire.c
/^static bool replace_token/,/^}/s/return use_fresh_token\(acquire\)/(void) use_fresh_token; return true/
