<?php
/* This extension, on one server. */
return fn (int|array $ports): Peer => new RedisLockPeer('redis://' . addresses($ports)[0]);
