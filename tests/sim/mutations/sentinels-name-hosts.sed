# Sentinels that name different ports of one host count as a majority
# file: ext/core/conn/rl_lookup.c
# sentinels
/^static bool names_the_same/,/^}/s/rl_address_equal\(&a->named, &b->named\)/strcmp(a->named.host, b->named.host) == 0/
