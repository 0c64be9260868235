# A reply may have as many elements as it can announce.
# file: ext/transport/rl_hiredis.c
s/count > NODES_MAX - reader->node_count/count > SIZE_MAX \/ 64/
