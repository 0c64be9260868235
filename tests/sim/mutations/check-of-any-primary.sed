# The Sentinels are asked, but it does not matter whether they name the node that has answered
# file: ext/core/conn/rl_errand.c
# sentinels
s/ && rl_target_equal\(errand->node, named\);/;/
