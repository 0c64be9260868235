<?php
/* phpredis on the primary that one Sentinel names, which is asked once. */
return function (int|array $ports): Peer {
    [$host, $port] = explode(':', addresses($ports)[0]);
    $isOld = version_compare(phpversion('redis'), '6.0', '<');
    $sentinel = $isOld ? new RedisSentinel($host, (int) $port, 1.0)
        : new RedisSentinel(['host' => $host, 'port' => (int) $port, 'connectTimeout' => 1.0]);
    [, $port] = $sentinel->getMasterAddrByName(PRIMARY)
        ?: throw new RuntimeException('the Sentinel names no primary');
    return new PhpredisByHand(phpredis_at((int) $port));
};
