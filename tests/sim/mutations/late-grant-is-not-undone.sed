# What a late grant has stored is released only where the call's own connections get to.
# file: ext/core/lease/rl_renewer.c
/^static void undo_grant\(/,/^}/s/undo_behind\(member\)/undo_behind != NULL/
