# A take-over whose swap was not answered is not swapped back once more
# file: ext/core/lock/rl_plain.c
/^static rl_settlement settle_ask/,/^}/s/settlement.doubt >= RL_DOUBT_GUARDED/settlement.doubt > RL_DOUBT_UNKNOWN/
