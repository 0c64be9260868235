--TEST--
Broken, refused, closed and timed-out connections leave no file descriptor behind.
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
$refused = 'redis://127.0.0.1:' . refusing_port($holder);
$full = full_server();
$hangs = fake_server([rule('*', ['hang'])]);
$closes = fake_server([rule('(connect)', ['close'])]);
$nonsense = fake_server([rule('*', [send("nonsense\r\n")])]);
$try = function (string $dsn): void {
    try {
        (new RedisLock($dsn, timeout: 0.01, connectTimeout: 0.01))->isLocked('k');
    } catch (RedisLockException) {
    }
};
$round = function () use ($server, $try, $refused, $full, $hangs, $closes, $nonsense): void {
    foreach ([$refused, 'unix:///nowhere/s', $full->dsn(), $hangs->dsn(), $closes->dsn(),
            $nonsense->dsn(), $server->dsn('?db=99')] as $dsn) {
        $try($dsn);
    }
    $lock = new RedisLock($server->dsn());
    $lock->isLocked('k');
    foreach ($server->client()->clients() as $client) {
        $server->cmd('CLIENT', 'KILL', 'ID', $client['id']);
    }
    $lock->isLocked('k');
    $lock->close();
    (new RedisLock($server->dsn(), persistent: false))->isLocked('k');
};
$round();
$before = count(glob('/proc/self/fd/*'));
for ($i = 0; $i < 20; $i++) {
    $round();
}
same('descriptors', $before, count(glob('/proc/self/fd/*')));

done();
?>
--EXPECT--
ok
