<?php
/* A lock by hand on phpredis, as cheap as it can be written: SET NX PX, a release by EVALSHA. */

const RELEASE_BY_HAND = "if redis.call('GET', KEYS[1]) == ARGV[1] then "
    . "return redis.call('DEL', KEYS[1]) else return 0 end";

/** @return array{Redis, string} the connection, and the name of the script of the release */
function by_hand(string $socket): array
{
    $redis = new Redis();
    $redis->connect($socket);
    return [$redis, $redis->script('load', RELEASE_BY_HAND)];
}
