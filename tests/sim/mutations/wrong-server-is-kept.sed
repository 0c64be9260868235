# A connection that answers READONLY is used again.
# file: ext/core/lock/rl_member_call.c
/^static bool leave_wrong_server\(/,/^}/s/^\{/{\n\tif (tick != NULL) {\n\t\treturn false;\n\t}/
