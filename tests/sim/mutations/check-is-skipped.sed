# An answer counts, whichever primary the Sentinels name by then
# file: ext/core/conn/rl_errand.c
# sentinels
/^static bool must_check/,/^}/s/^\{/{\n\tif (now >= 0) {\n\t\treturn false;\n\t}/
