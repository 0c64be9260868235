# A release reserves its permit although the list has its ticket already: no waiter comes for it.
# file: ext/model/rl_store.c
s/\(sent == RL_TICKET_OUT && c->permit_count == 0\)/sent == RL_TICKET_OUT/
