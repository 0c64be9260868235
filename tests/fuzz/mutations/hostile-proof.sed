# A lock counts as held from the arrival of the grant instead of from the sending of the command.
# file: ext/core/lock/rl_acquire.c
/^static bool on_granted/,/^}/s/rl_quorum_call_sent_at\(call\)/tick->now/
