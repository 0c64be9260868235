--TEST--
The constructor never connects.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/fake_server.inc';

$fake = fake_server();
$lock = new RedisLock($fake->dsn());
$own = new RedisLock($fake->dsn(), persistent: false);
$lock->close();
same('connections', 0, $fake->connections());
foreach (['redis://127.0.0.1:' . refusing_port($holder), 'unix:///nowhere/s',
        'redis://no-such-host.invalid', full_server()->dsn()] as $dsn) {
    $took = elapsed(fn () => new RedisLock($dsn));
    check($dsn, $took < slack(0.5), $took);
}

done();
?>
--EXPECT--
ok
