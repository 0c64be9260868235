# The watchdog prolongs by a script that can also shorten.
# file: ext/core/lease/rl_renewer_server.c
s/request_of\(member, verb\);/request_of(member, verb == RL_VERB_RENEW ? RL_VERB_EXTEND : verb);/
