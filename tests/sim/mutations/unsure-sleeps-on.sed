# Those free and those not heard could be a quorum, and the next look comes no sooner.
# rare
# file: ext/core/lock/rl_acquire_outcome.c
s/probe\.may_be_free \? unsure_delay\(acquire, delay\) : delay/probe.is_quorum_free ? unsure_delay(acquire, delay) : delay/
