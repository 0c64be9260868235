<?php
/* The class RedisCluster of phpredis. */
return fn (int|array $ports): Peer =>
    new PhpredisByHand(new RedisCluster(null, addresses($ports), 1.0, 1.0));
