--TEST--
After a failure on one server, another one is used at once.
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

$server = start_server();
$good = new RedisLock($server->dsn());
$good->isLocked('k');
foreach ([fake_server([rule('*', ['hang'])]), fake_server([rule('*', [send("nonsense\r\n")])]),
        fake_server([rule('(connect)', ['close'])])] as $fake) {
    $bad = new RedisLock($fake->dsn(), timeout: slack(0.1), connectTimeout: slack(0.1));
    throws('bad', 'RedisLockConnectionException', '~.~', fn () => $bad->acquire('k'));
    same('good', true, $good->release('k', $good->acquire('k')));
    $fake->rules([]);
    matches('the bad one has recovered', TOKEN, $bad->acquire('k'));
}
same('connections of the good one', 1, count($server->client()->clients()));

done();
?>
--EXPECT--
ok
