# A wait ends when a node answers CLUSTERDOWN.
# file: ext/core/base/rl_status.c
# clusters
s/"TRYAGAIN", "CLUSTERDOWN", /"TRYAGAIN", /
