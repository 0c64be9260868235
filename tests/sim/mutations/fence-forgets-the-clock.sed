# A fencing number is its predecessor and 1, and 1 where the server has lost it.
# file: ext/model/rl_store.c
/^static void run_fence\(/,/^}/s/now_us > k->fence/now_us < k->fence - now_us/
