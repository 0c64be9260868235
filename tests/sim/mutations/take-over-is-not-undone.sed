# A take-over that fails is not swapped back
# file: ext/core/lock/rl_plain.c
s/settle_ask\(op, is_below \|\| is_vain, tick->now\)/settle_ask(op, false, tick->now)/
