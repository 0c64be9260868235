# A command that was sent behind ASKING is sent behind ASKING again after its connection broke
# file: ext/core/lock/rl_member_call.c
# clusters
/^static void recover/,/^}/s/^\tmember->sent.is_asking = false;.*//
