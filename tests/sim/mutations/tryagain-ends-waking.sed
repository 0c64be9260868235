# A command whose keys are on two nodes switches waking off for good.
# file: ext/core/wire/rl_command.c
# clusters
s/^(\t\tanswer->is_for_every_key = rl_error_names_command\(err\));/\1 || strcmp(err->code, "TRYAGAIN") == 0;/
