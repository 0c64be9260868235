# A command that was sent behind ASKING is sent behind ASKING again after its connection broke
# file: ext/core/conn/rl_errand.c
# clusters
/^static void recover/,/^}/s/^\terrand->sent.is_asking = false;.*//
