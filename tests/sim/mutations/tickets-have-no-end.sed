# A ticket has no TTL.
# file: ext/model/rl_store.c
/^static rl_ticket ticket\(/,/^}/s/now_us \/ 1000 \+ TICKETS_MS;/now_us;/
