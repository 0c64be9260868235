--TEST--
SCRIPT FLUSH between two steps of a wait, or before the release, delays nothing.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$token = $lock->acquire('k');
$waiter = waiter($server->dsn(), 'k');
queued($server, 1);
$until = now() + room(1.3); // past the look that follows 0.85 s after the first
while (now() < $until) {
    $server->cmd('SCRIPT', 'FLUSH');
    usleep(1000);
}
same('release()', true, $lock->release('k', $token));
$result = $waiter->result();
matches('token', TOKEN, (string) $result['token']);
same('woken', [1, 0], [$result['stats']['wake_ups'], $result['stats']['wake_failures']]);
check('it looked again', $result['stats']['probes'] >= 2);
same('release()', true, $lock->release('k', $result['token']));
same('keys', [], $server->locks());

done();
?>
--EXPECT--
ok
