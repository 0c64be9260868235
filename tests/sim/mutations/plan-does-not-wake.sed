# The watchdog is not woken for a record that is due sooner than all others.
# file: ext/core/lease/rl_renewer.c
s/^\trenewer->until = rl_time_earlier\(renewer->until, due_at\);//
