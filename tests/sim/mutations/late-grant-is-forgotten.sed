# A member that was still connecting when a call ended is never asked for the lock.
# file: ext/core/lock/rl_acquire.c
/^bool rl_acquire_leaves\(/,/^}/s/acquire->unasked == 0/acquire->unasked == 0 || true/
