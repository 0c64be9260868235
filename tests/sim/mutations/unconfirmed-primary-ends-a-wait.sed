# A wait ends when no majority of the Sentinels confirms the primary for a moment
# file: ext/core/lock/rl_member_call.c
# sentinels
/^static void fail_unconfirmed/,/^}/s/(rl_stats_add.*)/\1\n\tsnprintf(member->err->code, sizeof member->err->code, "NOPERM");/
s/^#include <stdlib.h>/#include <stdio.h>\n#include <stdlib.h>/
