# A wait ends when no majority of the Sentinels confirms the primary for a moment
# file: ext/core/conn/rl_errand.c
# sentinels
/^static void fail_unconfirmed/,/^}/s/(rl_stats_add.*)/\1\n\tsnprintf(errand->err->code, sizeof errand->err->code, "NOPERM");/
s/^#include <stdlib.h>/#include <stdio.h>\n#include <stdlib.h>/
