# A wait takes twice as long as the caller allows.
# file: ext/core/lock/rl_acquire.c
s/deadline = rl_time_later\(now, acquire->wait_ns\)/deadline = rl_time_later(now, 2 * acquire->wait_ns)/
