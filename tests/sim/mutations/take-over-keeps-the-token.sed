# A take-over keeps the token: two that bring the same one both get the lock
# file: ext/core/lock/rl_plain.c
s/fresh = rl_bytes_of\(tokens, fresh_len\);/fresh = call->terms.request.token;/
