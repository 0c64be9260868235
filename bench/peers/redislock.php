<?php
/* This extension. */
return fn (int $port): Peer => new RedisLockPeer("redis://127.0.0.1:$port");
