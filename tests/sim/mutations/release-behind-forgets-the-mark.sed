# The release that follows a renewal under way leaves no mark of work that is done
# file: ext/core/wire/rl_command.c
# unit: test_renewer_end
/^rl_request rl_request_undo/,/^}/s/\.done_ms = request->done_ms,//
