# A token of the caller that the key holds already is taken for the own.
# file: ext/core/lock/rl_member_call.c
s/sent->maybe_ours = !call->is_own_token;/sent->maybe_ours = true;/
