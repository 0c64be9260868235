# The names of the helper keys have no braces: they are in another slot than the key.
# file: ext/core/wire/rl_names.c
# clusters
s/^(\tsize_t braces) = .*/\1 = 0;/
