# The same, if the undo was written in the wait queue.
# file: ext/core/lock/rl_queue.c
s/if \(call->terms.is_own_token\)/if (false)/
