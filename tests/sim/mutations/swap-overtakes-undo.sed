# A swap to a caller's token overtakes an undo of the same token.
# file: ext/core/conn/rl_errand.c
s/if \(must_come_later\(errand, tick\) \|\|/(void) must_come_later;\n\tif (/
