# A new connection is used without ROLE: a replica that accepts writes grants locks
# file: ext/core/wire/rl_route.c
# sentinels
s/(must_be_primary =) .*/\1 false;/
