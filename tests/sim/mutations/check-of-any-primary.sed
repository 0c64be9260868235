# The Sentinels are asked, but it does not matter whether they name the node that has answered
# file: ext/core/lock/rl_member_call.c
# sentinels
s/ && rl_target_equal\(member->node, named\);/;/
