# The watchdog does not follow the Sentinels to another primary
# file: ext/core/conn/rl_errand.c
# sentinels
s/if \(!is_named\(errand\)\) \{/if (!is_named(errand) \&\& errand->terms->request.verb != RL_VERB_RENEW) {/
