# A call for work that is to be done once takes any holder for the mark of work that is done.
# file: ext/core/lock/rl_acquire.c
s/has_looked && member->answer.holder == RL_HOLDER_DONE/has_looked \&\& member->answer.holder >= RL_HOLDER_KIN/
