# The TTL of a prolongation that was answered limits all later ones.
# file: ext/core/lease/rl_lease.c
/^static void note_answered\(/,/^\}/s/lease->flight_ttl = RL_NEVER;//
