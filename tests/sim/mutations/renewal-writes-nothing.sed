# A renewal that finds a longer TTL writes nothing: WAIT confirms nothing
# file: ext/model/rl_store.c
# mode: failover
s/if \(is_ours && may_write\(s, r\) && !is_kept\)/if (is_ours \&\& !is_kept \&\& may_write(s, r))/
