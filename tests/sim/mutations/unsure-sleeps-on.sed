# Those free and those not heard could be a quorum, and the next look comes no sooner.
# rare
# file: ext/core/lock/rl_acquire_outcome.c
s/probe\.free != RL_QUORUM_HELD/probe.free == RL_QUORUM_FREE/
