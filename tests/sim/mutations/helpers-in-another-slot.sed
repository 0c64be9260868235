# The names of the helper keys have no braces: they are in another slot than the key.
# file: ext/core/wire/rl_names.c
# clusters
s/== NULL \? IN_BRACES : IMPOSSIBLE/== NULL ? AS_IT_IS : IMPOSSIBLE/
