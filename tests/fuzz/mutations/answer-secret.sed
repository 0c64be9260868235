# The name of a type that is a secret goes into the message.
# file: ext/core/wire/rl_answer.c
/^static void fail_wrong_type/,/^}/s/secrets, secret_count\);/NULL, 0);/
