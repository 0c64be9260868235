# A try that comes too late keeps the ticket.
# file: ext/model/rl_store.c
/^static void pass_on\(/,/^}/s/ticket\(s, k->home, live < permits \? live : permits, now_us\)/RL_TICKET_OUT/
