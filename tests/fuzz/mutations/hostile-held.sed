# The verdict of the replicas reads the elements of an array where the reader had put them.
# file: ext/core/conn/rl_held.c
/reply\.elements = NULL;/d
s/rl_reply said = whole\(reply\);/rl_reply said = reply->reply;/
