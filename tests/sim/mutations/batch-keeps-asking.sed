# A release batch sends its releases behind ASKING again after a break
# file: ext/core/lock/rl_release_batch.c
# clusters
/^static bool redo/,/^}/s/if \(lane->at.is_asking\)/if (false \&\& lane->at.is_asking)/
/^static bool redo/,/^}/s/lane->has_redone \|\| lane->at.is_asking/lane->has_redone/
