# A new primary grants locks at once, in spite of failover_grace
# file: ext/core/conn/rl_grace.c
# mode: grace
# sentinels
s/return route->grace_ns;/return 0;/
