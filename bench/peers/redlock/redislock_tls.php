<?php
/* This extension, with a list of servers, over TLS. */
return fn (array $ports, string $ca): Peer => new RedisLockPeer(
    array_map(fn (int $port) => tls_dsn($port, $ca), $ports));
