# A fencing number that is smaller than the one before counts.
# file: ext/core/wire/rl_answer.c
s/number >= request->fence_number/number > 0/
