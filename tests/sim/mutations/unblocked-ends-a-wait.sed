# A wait ends when the server ends its BLPOP with an error.
# file: ext/core/lock/rl_queue.c
/^static rl_queue_event on_refused\(/,/^}/s/return lose\(errand\);/return RL_QUEUE_FAILED;/
