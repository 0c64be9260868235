# A try that comes too late keeps the ticket.
# file: tests/model/store.c
/^static void pass_on\(/,/^}/s/ && ticket\(s, k, now_us\) != RL_TICKET_IMPOSSIBLE//
