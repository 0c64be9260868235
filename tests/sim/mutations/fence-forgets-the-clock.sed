# A fencing number is its predecessor and 1, and 1 where the server has lost it.
# file: tests/model/store.c
/^static void run_fence\(/,/^}/s/now_us > k->fence/now_us < k->fence - now_us/
