# A token of the caller that the key holds already is taken for the own.
# file: ext/core/lock/rl_member_call.c
s/request\.is_owed = !call->is_own_token;/request.is_owed = true;/
