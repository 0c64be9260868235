# The watchdog sends later commands to the node that was asked last, behind ASKING
# file: ext/core/lease/rl_renewer_errands.c
# clusters
/^static void begin/,/^}/s/^\trl_errand_call_up/\tif (member->node != NULL) {\n\t\trl_target_unref(one->errand.node);\n\t\tone->errand.node = rl_target_ref(member->node);\n\t\tone->errand.sent.is_asking = true;\n\t}\n&/
