<?php
/*
 * What the bench asks of a lock library. bench/peers/NAME.php returns a closure that makes one:
 * function (int $port, string $packages): Peer, where $packages is the folder that Composer filled
 * for it. bench/peers/redlock/NAME.php is the same with several servers: function (array $ports,
 * string $packages): Peer. bench/peers/tls/NAME.php is the same over TLS: function (int $port,
 * string $ca, string $packages = ''): Peer. bench/peers/topologies/NAME.php is the same on a
 * cluster, by its seeds, or behind Sentinels: function (int|array $ports, string $packages): Peer.
 *
 * A whole section rather than acquire() and release(), because one of them has nothing but
 * synchronized().
 */

abstract class Peer
{
    /** Seconds: no section takes nearly as long. */
    protected const TTL = 30;
    /** Seconds: a wait ends after this time, and is counted. symfony/lock has no limit. */
    protected const WAIT = 20;
    /** Compare-and-delete, for the clients that lock by hand. */
    protected const RELEASE = <<<'LUA'
        if redis.call('get', KEYS[1]) == ARGV[1] then
            return redis.call('del', KEYS[1])
        end
        return 0
        LUA;

    /** Runs $section with the lock held, or returns false when the lock was not to be had in
     * time. */
    abstract public function within(string $key, callable $section): bool;
}

/** A connection for a library that wants one, with the time limits that RedisLock has by
 * default. */
function phpredis_at(int $port): Redis
{
    $redis = new Redis();
    $redis->connect('127.0.0.1', $port, 1.0, null, 0, 1.0);
    return $redis;
}

/** By this name Sentinels know the primary. */
const PRIMARY = 'bench';

/** @param int|list<int> $ports @return list<string> host:port */
function addresses(int|array $ports): array
{
    return array_map(fn (int $port) => "127.0.0.1:$port", (array) $ports);
}

/** The DSN of a server with TLS. */
function tls_dsn(int $port, string $ca): string
{
    return "rediss://127.0.0.1:$port?ssl[cafile]=" . rawurlencode($ca);
}
