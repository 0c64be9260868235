# The watchdog prolongs by a script that can also shorten.
# file: ext/core/rl_watch_server.c
s/request_of\(seat, verb\);/request_of(seat, verb == RL_VERB_RENEW ? RL_VERB_EXTEND : verb);/
