# A release that has failed is sent again only when its record is due for another reason.
# file: ext/core/lease/rl_renewer.c
/^static void on_step\(/,/^}/s/^\t\trl_renewer_plan\(renewal\);/\t\tif (!rl_renewal_is_release(member->sent)) {\n\t\t\trl_renewer_plan(renewal);\n\t\t}/
