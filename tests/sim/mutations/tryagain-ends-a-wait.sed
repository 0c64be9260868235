# A wait ends when the keys of a command are on two nodes.
# file: ext/core/base/rl_status.c
# clusters
s/"TRYAGAIN", "CLUSTERDOWN", /"CLUSTERDOWN", /; s/\|\|$/||/; s/strcmp\(err->code, "CROSSSLOT"\) == 0 \|\|/strcmp(err->code, "CROSSSLOT") == 0);/; /strcmp\(err->code, "TRYAGAIN"\) == 0\);/d
