# A redirect is not followed.
# file: ext/core/lock/rl_member_answer.c
# clusters
s/rl_member_call_follow\(member, &event->reply, tick\)/false/
