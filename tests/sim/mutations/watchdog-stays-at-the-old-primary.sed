# The watchdog does not follow the Sentinels to another primary
# file: ext/core/lease/rl_renewer_servers.c
# sentinels
s/if \(has_named && !is_named\(member\)\) \{/if (has_named \&\& !is_named(member) \&\& lookup == NULL) {/
