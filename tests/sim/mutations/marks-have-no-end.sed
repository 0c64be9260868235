# The set of marks has no TTL.
# file: ext/model/rl_store.c
/^static bool mark\(/,/^}/s/now_us \/ 1000 \+ MARKS_MS;/now_us;/
