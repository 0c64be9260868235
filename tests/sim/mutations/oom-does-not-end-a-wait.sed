# A wait goes on although a server is out of memory.
# file: ext/core/base/rl_status.c
/^bool rl_error_passes\(/,/^}/s/"NOREPLICAS",/"NOREPLICAS", "OOM",/
