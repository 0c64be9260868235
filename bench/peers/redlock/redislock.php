<?php
/* This extension, with a list of servers. */
return fn (array $ports): Peer => new RedisLockPeer(
    array_map(fn (int $port) => "redis://127.0.0.1:$port", $ports));
