# An answer counts, whichever primary the Sentinels name by then
# file: ext/core/lock/rl_member_sentinel.c
# sentinels
/^bool rl_member_call_must_check/,/^}/s/^\{/{\n\tif (now >= 0) {\n\t\treturn false;\n\t}/
