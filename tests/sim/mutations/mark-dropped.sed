# The scripts do not note who waits: a release tells nobody.
# file: ext/model/rl_store.c
/^static bool mark\(/,/^}/s/^\{/{\n\tif (k != NULL) {\n\t\treturn true;\n\t}/
