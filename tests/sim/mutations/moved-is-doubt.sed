# A command that was redirected counts as in doubt.
# file: ext/core/lock/rl_member_call.c
# clusters
s/^(\tmember->sent\.is_asking = redirect\.kind == .*)$/\1\n\tmember->doubt = RL_DOUBT_UNKNOWN;/
