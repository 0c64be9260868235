# A command that is sent again without the helper keys stays at the node that was asked after ASK.
# file: ext/core/conn/rl_errand.c
# clusters
/^static void send_again/,/^}/s/if \(errand->sent.is_asking\) \{/if (false) {/
