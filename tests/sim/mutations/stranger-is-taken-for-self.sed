# A token of the caller that the key holds already is taken for the own.
# file: ext/core/rl_seat.c
s/request\.is_owed = !exchange->is_own_token;/request.is_owed = true;/
