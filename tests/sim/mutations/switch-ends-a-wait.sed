# A wait ends when the Sentinels name another primary
# file: ext/core/lock/rl_member_call.c
# sentinels
s/if \(member->hops > RL_HOPS_MAX\) \{/if (member->hops > 0) {\n\t\tmember->err->code[0] = 'X';/
s/rl_error_set\(member->err, RL_ERR_CONNECT, 0, "the primary changes/rl_error_set(member->err, RL_ERR_SERVER, 0, "the primary changes/
