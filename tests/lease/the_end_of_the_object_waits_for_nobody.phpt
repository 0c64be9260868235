--TEST--
The unset of a lease whose server hangs takes 200 ms, and the next ones take no time; a server that is gone costs no time.
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
$lock = new RedisLock($server->dsn(), timeout: 60, connectTimeout: 60);
$leases = [];
for ($i = 0; $i < 100; $i++) {
    $leases[] = $lock->lease("k$i", 60);
}
$first = $lock->lease('first', 60);
$server->pause();
$took = elapsed(function () use (&$first): void {
    $first = null;
});
between('one', 0, slack(1.0), $took);
$took = elapsed(function () use (&$leases): void {
    $leases = [];
});
between('100', 0, slack(1.0), $took);
$server->resume();
eventually('what was written is read', fn () => $server->cmd('EXISTS', 'first') === 0);
$lease = $lock->lease('k', 60);
$server->kill();
$took = elapsed(function () use (&$lease): void {
    $lease = null;
});
between('gone', 0, slack(1.0), $took);

done();
?>
--EXPECT--
ok
