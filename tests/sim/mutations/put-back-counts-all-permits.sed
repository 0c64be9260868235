# A try that puts one permit back names its key, and the number of all permits
# file: ext/core/wire/rl_command.c
# unit: test_command
/^static unsigned named_permits/,/^}/s/request->permit_keys != NULL \? request->permits : 1/request->permits/
