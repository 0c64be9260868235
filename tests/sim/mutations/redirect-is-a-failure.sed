# A redirect is not followed.
# file: ext/core/lock/rl_member_call.c
# clusters
s/\bfollow\(member, &event->reply, tick\)/false/
