# A lock that its only primary does not have is put back, also when the primary is an old one
# file: ext/core/lease/rl_renewer.c
# sentinels
/^static bool may_come_back/,/^}/s/!rl_route_may_grant\(member->server->route\)/member->server->route->kind == RL_ROUTE_SENTINEL/
