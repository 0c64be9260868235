# A renewal counts, whichever primary the Sentinels name by then
# file: ext/core/lease/rl_renewer_servers.c
# sentinels
/^static bool may_count/,/^}/s/if \(route == NULL \|\|/if (route == NULL || now >= 0 ||/
