# The last slot of a range is not learned.
# file: ext/core/wire/rl_route.c
/^static bool read_range/,/^}/s/slot <= last/slot < last/
