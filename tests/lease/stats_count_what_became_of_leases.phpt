--TEST--
stats() counts grants, refusals and releases of leases, also those at the end of objects.
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
$before = RedisLock::stats();
$lease = $lock->lease('a');
same('refused', null, $lock->lease('a'));
$lease->extend(10);
$lease->release();
$lease->release();
$lease = $lock->lease('a');
unset($lease);
$lock->synchronized('a', fn () => 1);
$lease = $lock->lease('a');
$server->cmd('DEL', 'a');
unset($lease);
$after = RedisLock::stats();
$grown = fn (string $name) => $after[$name] - $before[$name];
same('counters', ['acquired' => 4, 'refused' => 1, 'released' => 3, 'not_released' => 1,
    'extended' => 1, 'failed' => 0, 'timed_out' => 0],
    ['acquired' => $grown('acquired'), 'refused' => $grown('refused'),
        'released' => $grown('released'), 'not_released' => $grown('not_released'),
        'extended' => $grown('extended'), 'failed' => $grown('failed'),
        'timed_out' => $grown('timed_out')]);

done();
?>
--EXPECT--
ok
