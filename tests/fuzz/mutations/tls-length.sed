# OpenSSL may read beyond what has arrived.
# file: ext/transport/rl_tls.c
/^static int end_read/,/^}/s/len < tls->in\.len \? len : tls->in\.len/tls->in.len > 0 ? len : 0/
