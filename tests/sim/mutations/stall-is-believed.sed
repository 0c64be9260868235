# The round trip of a look that met a stall counts like any other.
# file: ext/core/lock/rl_acquire.c
s/if \(is_first \|\| round_trip < acquire->round_trip\) \{/(void) is_first;\n\tround_trip = member->heard_at - member->channel.sent_at;\n\t{/
