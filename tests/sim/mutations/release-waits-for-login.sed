# The release of a drawn token waits for the login, while a quorum decides.
# file: ext/core/conn/rl_errand.c
# unit: test_releases_members
s/bool is_drawn_release = .*;/bool is_drawn_release = false;/
