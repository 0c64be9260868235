# A quorum is one more than half of the members, rounded up: a minority that is down stops all.
# file: ext/core/base/rl_tally.h
s|return members / 2 \+ 1;|return (members + 1) / 2 + 1 > members ? members : (members + 1) / 2 + 1;|
