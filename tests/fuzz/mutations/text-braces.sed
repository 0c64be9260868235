# A key with a '}' and without a hash tag gets helper keys in other slots.
# file: ext/core/wire/rl_names.c
s/memchr\(key\.data, '\}', key\.len\) == NULL \? IN_BRACES : IMPOSSIBLE/IN_BRACES/
