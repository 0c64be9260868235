# An answer counts, whichever primary the Sentinels name by then
# file: ext/core/lock/rl_member_call.c
# sentinels
/^static bool must_check/,/^}/s/^\{/{\n\tif (now >= 0) {\n\t\treturn false;\n\t}/
