# The token that an undo was written for is used again.
# file: ext/core/lock/rl_acquire_token.c
s/is_own_token \|\| rl_acquire_draw_token\(acquire\);/is_own_token || true;/
