--TEST--
A reply that comes too late is never taken for the reply of a later command.
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
$fake = fake_server([], $server);
$unit = room(0.1);
$lock = new RedisLock($fake->dsn(), timeout: 2 * $unit);
$server->cmd('SET', 'taken', 'somebody', 'PX', 60000);
$lock->isLocked('k');
for ($i = 0; $i < 3; $i++) {
    $fake->rules([rule('SET', ['forward', wait_for(4 * $unit), 'reply'], times: 1)]);
    throws('acquire()', 'RedisLockConnectionException', '~.~', fn () => $lock->acquire("free$i"));
    same('a refusal', null, $lock->acquire('taken'));
    usleep((int) (3e6 * $unit));
    same('isLocked()', true, $lock->isLocked('taken'));
    same('owner()', 'somebody', $lock->owner('taken'));
}
eventually('what came late is undone', fn () => $server->keys() === ['0:taken']);

done();
?>
--EXPECT--
ok
