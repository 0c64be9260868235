# A waiter that was woken because the work is done does not wake the next one.
# file: ext/model/rl_store.c
/h == RL_HOLDER_DONE && c->place/,/MET\(done_told\)/s/^\t\t\tticket\(s, k->home, 1, now_us\);//
