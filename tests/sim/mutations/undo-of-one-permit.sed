# The undo of a try whose answer is not known frees the first permit only.
# file: ext/core/wire/rl_command.c
/^rl_request rl_request_undo\(/,/^}/s/\.permit_keys = request->permit_keys,//
