# Clocks are taken to go at the same rate.
# file: ext/core/wire/rl_set.h
s|return \(int64_t\) \(\(double\) ttl_ns \* factor\) \+ 2 \* RL_NS_PER_MS;|(void) factor;\n\treturn 0 * ttl_ns;|
