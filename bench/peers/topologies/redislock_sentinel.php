<?php
/* This extension, on a primary behind Sentinels. */
return fn (int|array $ports): Peer =>
    new RedisLockPeer('redis-sentinel://' . implode(',', addresses($ports)) . '/' . PRIMARY);
