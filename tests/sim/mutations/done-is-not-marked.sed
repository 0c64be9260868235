# The release at the end of work that is to be done once frees the lock, and leaves no mark.
# file: ext/core/lock/rl_releases.c
/call->terms.request.done_ms = one->lease->done_ms;/d
