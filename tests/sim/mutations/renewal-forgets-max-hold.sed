# A renewal sets an end beyond maxHold.
# file: ext/core/lease/rl_renewal.c
/^int64_t rl_renewal_ttl\(/,/^}/s/renewal->hold_until != RL_NEVER/false \&\& now != RL_NEVER/
