# Addresses are compared without their ports
# file: ext/core/wire/rl_target.c
# clusters
s/a->kind != b->kind \|\| a->port != b->port \|\|/a->kind != b->kind ||/
