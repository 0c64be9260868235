# No empty command follows when BLPOP is answered and the try is not.
# file: ext/core/lock/rl_queue.c
s/is_woken\(errand\) \&\& !errand->is_prodded/false/
