# With failover_grace a renewal counts that is answered on a connection from after the Sentinels were asked
# file: ext/core/conn/rl_errand.c
# mode: grace
# sentinels
/^static bool is_since_login/,/^}/s/if \(route->grace_ns == 0 \|\|/if (errand->terms->request.verb == RL_VERB_RENEW || route->grace_ns == 0 ||/
