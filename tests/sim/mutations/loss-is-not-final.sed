# A confirmation that comes late revives a lease.
# file: ext/core/lease/rl_lease.c
/^static bool prove\(/,/^}/s/if \(!rl_lease_is_held\(lease\)\) \{/if (lease->is_disowned) {/;/^static bool prove\(/,/^}/s/proof > 0 && proof < until/proof < until/
