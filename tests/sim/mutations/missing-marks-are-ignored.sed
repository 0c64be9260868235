# A place in the queue counts as alive when the set of marks is gone.
# file: ext/model/rl_store.c
/^static bool is_void\(/,/^}/s/own == NULL \|\| own->until_us < now_us/own != NULL ? own->until_us < now_us : card(k) > 0/
