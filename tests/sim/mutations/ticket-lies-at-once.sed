# A ticket counts as lying although the waiter's own BLPOP may still be on its way.
# rare
# file: ext/core/lock/rl_acquire_outcome.c
s/look->asked_at - 2 \* \(look->heard_at - look->asked_at\)/look->heard_at/
