# What an old primary has or may have granted is not undone there
# file: ext/core/conn/rl_errand.c
# sentinels
/^static void leave_old_primary/,/^}/s/may_have_run && rl_verb_takes\(terms->request.verb\) &&/may_have_run \&\& terms == NULL \&\&/
