# A shorter TTL that is asked for does not lower the proof before it is sent.
# file: ext/core/lease/rl_lease.c
/^void rl_lease_expect\(/,/^}/s/while \(proof > until/while (false \&\& proof > until/
