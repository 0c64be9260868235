# The watchdog sends later commands behind ASKING, too
# file: ext/core/lease/rl_renewer_servers.c
# clusters
/^void rl_renewer_server_queue/,/^}/s/^\tmember->is_asking = false;//
