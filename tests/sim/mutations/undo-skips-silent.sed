# A member that has not answered is not told to take the token back.
# file: ext/core/lock/rl_quorum_call.c
/^static bool may_undo\(/,/^}/s/return may_have_it \&\& /return was_granted(member) \&\& may_have_it \&\& /
