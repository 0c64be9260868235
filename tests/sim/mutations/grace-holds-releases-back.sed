# A release is held back while the Sentinels have known the primary for less time than their answer took
# file: ext/core/wire/rl_route.h
# mode: grace
# sentinels
s/return ns == 0 \|\| route->named_at/return route->named_at/
