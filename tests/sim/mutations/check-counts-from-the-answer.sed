# What the Sentinels have named counts from the end of the lookup, not from its beginning
# file: ext/core/conn/rl_lookup.c
# sentinels
s/(address->port), asked_at\)/\1, lookup->until < asked_at ? asked_at : lookup->until)/
