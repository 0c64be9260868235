# A wait ends when a server has too few replicas for a moment.
# file: ext/core/base/rl_status.c
/^bool rl_error_passes\(/,/^}/s/"NOREPLICAS"/"NOREPLICA"/
