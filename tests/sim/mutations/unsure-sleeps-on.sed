# Those free and those not heard could be a quorum, and the next look comes no sooner.
# rare
# file: ext/core/lock/rl_acquire.c
s/probe\.free != QUORUM_HELD/probe.free == QUORUM_FREE/
