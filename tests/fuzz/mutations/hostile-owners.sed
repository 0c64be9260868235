# If servers name different owners, a server that is backed off is asked only after a while.
# file: ext/core/lock/rl_quorum_call.c
s/can_decide = granted_alike\(call, tally\)/can_decide = tally->granted/
