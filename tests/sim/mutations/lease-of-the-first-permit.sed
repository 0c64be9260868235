# A client that has won another permit than the first takes it for the first.
# file: ext/core/wire/rl_answer.c
s/answer->permit = has_permit \? .*;/answer->permit = 0;/
