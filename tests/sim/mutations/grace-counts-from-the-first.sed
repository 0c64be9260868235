# The time of grace counts from when the first Sentinel has known the new primary
# file: ext/core/conn/rl_lookup.c
# mode: grace
# sentinels
s/bool is_enough = by_then >= quorum_of\(lookup->route\);/bool is_enough = by_then >= 1;/
