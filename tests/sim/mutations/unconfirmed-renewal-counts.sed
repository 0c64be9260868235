# A renewal that too few replicas confirm prolongs the proof
# file: ext/core/wire/rl_command.c
# mode: failover
s/\[RL_VERB_RENEW\] = \{build_extend, .is_script = true, .is_confirmed = true\}/[RL_VERB_RENEW] = {build_extend, .is_script = true}/
