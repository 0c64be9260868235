# The watchdog prolongs by a script that can also shorten.
# file: ext/core/lease/rl_renewal.c
s/request_of\(member, RL_VERB_RENEW\);/request_of(member, RL_VERB_EXTEND);/
