# The names of further permits have no braces: they are in another slot than the first permit.
# file: ext/core/wire/rl_names.c
# clusters
/^const rl_bytes \*rl_names_put_permits\(/,/^}/s/stem_of\(names\)/names->lock/
