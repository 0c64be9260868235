# A redirect is not followed.
# file: ext/core/conn/rl_errand.c
# clusters
s/\bfollow\(errand, &event->reply, tick\)/false/
