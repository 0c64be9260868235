# The scripts do not note who waits: a release tells nobody.
# file: tests/sim/store.c
/^static void mark\(/,/^}/s/^\{/{\n\t(void) waiter, (void) now_us;\n\tif (k != NULL) {\n\t\treturn;\n\t}/
