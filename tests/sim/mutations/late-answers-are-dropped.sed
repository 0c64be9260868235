# What the Sentinels say behind a look is dropped when the next look comes late
# file: ext/core/lock/rl_member_call.c
# sentinels
s/ && now >= lookup->until\) \{/ \&\& now < 0) {/
