# The watchdog brings a caller's token to the members that a call has not asked.
# file: ext/core/lock/rl_acquire.c
s/acquire->unasked = acquire->given.data == NULL/acquire->unasked = acquire->own.data == NULL/
