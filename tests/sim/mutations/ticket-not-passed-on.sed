# A try that comes too late keeps the ticket.
# file: tests/sim/store.c
/^static void run_try\(/,/^}/s/ticket\(s, k, now_us\);//
