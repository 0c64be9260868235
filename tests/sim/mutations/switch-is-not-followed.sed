# A call that has been answered by an old primary fails, and does not ask the new one
# file: ext/core/conn/rl_errand.c
# sentinels
s/if \(errand->hops > RL_HOPS_MAX\) \{/if (errand->hops > 0) {/
