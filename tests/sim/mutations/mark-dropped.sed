# The scripts note no waiter: a release wakes none
# file: ext/model/rl_store.c
/^static bool mark\(/,/^}/s/^\{/{\n\tif (k != NULL) {\n\t\treturn true;\n\t}/
