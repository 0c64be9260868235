# A call that has been answered by an old primary fails, and does not ask the new one
# file: ext/core/lock/rl_member_call.c
# sentinels
s/if \(member->hops > RL_HOPS_MAX\) \{/if (member->hops > 0) {/
