# A wait ends when a server takes no more clients for a moment.
# file: ext/core/base/rl_status.c
/^bool rl_error_passes\(/,/^}/s/return rl_error_is_full\(err\);/return false;/
