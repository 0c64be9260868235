# The name of a server with one of the first nine databases lacks it.
# file: ext/core/wire/rl_target.c
/^bool rl_target_set_name/,/^}/s/database != 0/database > 9/
