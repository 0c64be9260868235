--TEST--
Bytes that a server sends unasked never count as the answer to the next command.
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
foreach ([0, 150000] as $pause) {
    $fake = fake_server([], $server);
    $lock = new RedisLock($fake->dsn(), timeout: slack(1.0));
    $lock->release('warm', $lock->acquire('warm'));
    $fake->rules([rule('SET', ['forward', send("+OK\r\n:0\r\n")], times: 1)]);
    $token = $lock->acquire('k');
    matches('acquire()', TOKEN, (string) $token);
    usleep($pause);
    same('isLocked()', true, $lock->isLocked('k'));
    $fake->rules([rule('EXISTS', ['forward', send(":1\r\n:0\r\n:0\r\n+OK\r\n")], times: 1)]);
    same('isLocked()', true, $lock->isLocked('k'));
    usleep($pause);
    same('owner()', $token, $lock->owner('k'));
    same('release()', true, $lock->release('k', $token));
    same('keys', [], $server->keys());
    $fake->stop();
}

done();
?>
--EXPECT--
ok
