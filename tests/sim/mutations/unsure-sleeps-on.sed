# Those free and those not heard could be a quorum, and the next look comes no sooner.
# rare
# file: ext/core/rl_acquire.c
s/sight\.may_be_free \? unsure_delay\(acquire, delay\) : delay/sight.is_quorum_free ? unsure_delay(acquire, delay) : delay/
