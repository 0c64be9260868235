--TEST--
An int as a time and a number as a key are accepted, but not under strict_types.
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
$lock = new RedisLock($server->dsn());
$lease = $lock->lease(17, '20');
same('key()', '17', $lease->key());
same('extend()', true, $lease->extend(10));
same('extend()', true, $lease->extend('10.5'));
same('synchronized()', 1, $lock->synchronized(18, fn () => 1, 5));
$seen =
    run_php(
        'declare(strict_types=1); $lock = new RedisLock($argv[1]); try { $ignored = $lock->lease(17); } catch (TypeError $e) { echo $e->getMessage(); }',
        [$server->dsn()]);
matches('strict', '~must be of type array\|string, int given~', $seen);

done();
?>
--EXPECT--
ok
