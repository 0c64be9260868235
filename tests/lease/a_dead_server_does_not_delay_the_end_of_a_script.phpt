--TEST--
A server that is gone does not delay the end of a script, and PHP prints nothing.
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
$child =
    start_and_stop_at(
        '$lock = new RedisLock($argv[1]); for ($i = 0; $i < 100; $i++) { $all[] = $lock->lease("k$i", 60); }',
        '', [$server->dsn()]);
$server->kill();
$took = elapsed(function () use ($child, &$output): void {
    $child->tell('go');
    $output = $child->output();
});
same('output', "ready\n", $output);
same('status', 0, $child->status());
between('at once', 0, slack(1.5), $took);

done();
?>
--EXPECT--
ok
