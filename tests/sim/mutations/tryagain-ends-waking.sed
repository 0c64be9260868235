# A command whose keys are on two nodes switches waking off for good.
# file: ext/core/wire/rl_answer.c
# clusters
s/rl_error_names_command\(err\) \? RL_AGAIN_NEVER/rl_error_names_command(err) || strcmp(err->code, "TRYAGAIN") == 0 ? RL_AGAIN_NEVER/
