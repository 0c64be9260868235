# What the Sentinels say behind a look is dropped when the next look comes late
# file: ext/core/conn/rl_errand.c
# sentinels
s/ && now >= lookup->until\) \{/ \&\& now < 0) {/
