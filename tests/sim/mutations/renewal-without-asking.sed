# A renewal that was redirected by ASK is sent without ASKING.
# file: ext/core/lease/rl_renewal.c
# clusters
s/(\.is_asking =) member->is_asking/\1 false/
