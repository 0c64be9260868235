# A connection that answers READONLY is used again.
# file: ext/core/conn/rl_errand.c
/^static bool leave_wrong_server\(/,/^}/s/^\{/{\n\tif (tick != NULL) {\n\t\treturn false;\n\t}/
