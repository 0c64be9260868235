# The names of the helper keys have no braces: they are in another slot than the key.
# file: ext/core/wire/rl_names.c
# clusters
s/^(\treturn) naming == RL_NAMES_IN_SLOT .*/\1 naming == RL_NAMES_IN_SLOT \&\& key.len == 0;/
