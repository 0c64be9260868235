--TEST--
A child class that overrides lease() and acquire() does not change synchronized().
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
final class Strange extends RedisLock
{
    public function lease(string|array $key, float $ttl = 30.0, float $wait = 0.0,
        bool $renew = true, ?float $maxHold = null, ?callable $onLoss = null,
        ?string $token = null, ?callable $abort = null, int $slots = 1): ?RedisLockLease
    {
        throw new LogicException('not called');
    }

    public function acquire(string $key, float $ttl = 30.0, float $wait = 0.0,
        ?string $token = null, ?callable $abort = null): ?string
    {
        throw new LogicException('not called');
    }
}
same('result', 'k', (new Strange($server->dsn()))->synchronized('k', fn ($lease) => $lease->key()));
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
