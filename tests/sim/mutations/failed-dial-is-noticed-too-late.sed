# A dial that failed between two calls is noticed only when its node is dialled again
# file: ext/core/conn/rl_errand.c
# unit: test_errand_cluster
/^static void avoid_node/,/^}/s/terms->set->count > 1/false/
