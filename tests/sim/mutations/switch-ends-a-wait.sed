# A wait ends when the Sentinels name another primary
# file: ext/core/conn/rl_errand.c
# sentinels
s/if \(errand->hops > RL_HOPS_MAX\) \{/if (errand->hops > 0) {\n\t\terrand->err->code[0] = 'X';/
s/rl_error_set\(errand->err, RL_ERR_CONNECT, 0, "the primary changes/rl_error_set(errand->err, RL_ERR_SERVER, 0, "the primary changes/
