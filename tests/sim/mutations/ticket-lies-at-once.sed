# A ticket counts as lying although the waiter's own BLPOP may still be on its way.
# rare
# file: ext/core/lock/rl_acquire.c
s/probe->asked_at - 2 \* \(probe->heard_at - probe->asked_at\)/probe->heard_at/
