# A caller's token is used again while a server may still read an undo of it.
# file: ext/core/lock/rl_quorum_call.c
s/if \(conn != NULL && terms->is_own_token\)/if (false)/
