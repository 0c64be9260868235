# An errand pauses although its budget is over by the end of the pause.
# file: ext/core/conn/rl_errand.c
/^static void pause\(/,/^\}/s/errand->resume_at >= errand->budget_end/false/
