# An answer to WAIT counts, whatever it says
# file: ext/core/conn/rl_held.c
# mode: failover
s/ && wait->integer >= \(int64_t\) wanted;/;/
