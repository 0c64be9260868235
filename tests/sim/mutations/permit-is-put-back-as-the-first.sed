# The watchdog puts a permit back at a new primary under the key of the first permit.
# file: ext/core/lease/rl_renewal.c
# mode: grace
# sentinels
/^static rl_request request_of\(/,/^}/s/\.key = lease->names\.key/.key = verb == RL_VERB_SET ? lease->names.lock : lease->names.key/
