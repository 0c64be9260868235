# What an old primary has or may have granted is not undone there
# file: ext/core/lock/rl_member_call.c
# sentinels
/^static void leave_old_primary/,/^}/s/may_have_run && rl_verb_takes\(call->request.verb\) &&/may_have_run \&\& call == NULL \&\&/
