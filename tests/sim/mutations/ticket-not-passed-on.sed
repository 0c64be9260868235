# A try that comes too late keeps the ticket.
# file: ext/model/rl_store.c
/^static void pass_on\(/,/^}/s/ && ticket\(s, k, now_us\) != RL_TICKET_IMPOSSIBLE//
