<?php
/* This extension, over TLS. */
return fn (int $port, string $ca): Peer => new RedisLockPeer(tls_dsn($port, $ca));
