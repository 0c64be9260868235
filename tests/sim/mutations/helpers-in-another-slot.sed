# The names of the helper keys have no braces: they are in another slot than the key.
# file: ext/core/wire/rl_command.c
# clusters
s/^(\tbool has_braces) = .*/\1 = false;\n\t(void) is_tagged;/
