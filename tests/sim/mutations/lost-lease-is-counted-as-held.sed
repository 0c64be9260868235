# A lease that a server has taken away still counts among the leases that are held.
# file: ext/core/lease/rl_lease.c
/^static void lose\(/,/^\}/s/^\tcount_ended_now\(lease\);//
