<?php
/* This extension, on a cluster. */
return fn (int|array $ports): Peer =>
    new RedisLockPeer('redis-cluster://' . implode(',', addresses($ports)));
