# A renewal sets an end beyond maxHold.
# file: ext/core/lease/rl_renewer_errands.c
/^static bool refresh_ttl/,/^}/s/rl_renewal_ttl\(one->member->renewal, now\)/one->member->renewal->lease->ttl_ns + 0 * now/
/^static bool is_past_hold/,/^}/s/rl_renewal_ttl\(member->renewal, now\)/member->renewal->lease->ttl_ns + 0 * now/
