# A renewal that was sent behind ASKING is sent behind ASKING again after its connection broke
# file: ext/core/lease/rl_renewer_servers.c
# clusters
/^static void send_again/,/^}/s/^\tmember->is_asking = false;//
/^void rl_renewer_server_queue/,/^}/s/^\tmember->is_asking = false;//
