# A quorum is half of the members, rounded up: two halves of an even number are two quorums.
# file: ext/core/base/rl_tally.h
s|return members / 2 \+ 1;|return (members + 1) / 2;|
