# A member that has not answered is not told to take the token back.
# file: ext/core/conn/rl_errand.c
/^static bool may_undo\(/,/^}/s/return may_have_it \&\& /return was_granted(errand) \&\& may_have_it \&\& /
