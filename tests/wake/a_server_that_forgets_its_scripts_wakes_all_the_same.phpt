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

// The server has run the script of a place on the waiter's connection, and has lost it since.
$first = $lock->acquire('first');
$token = $lock->acquire('k');
$waiter = waiter($server->dsn(), 'first', then: function (RedisLock $own, string $given): array {
    $own->release('first', $given);
    return [$own->acquire('k', wait: slack(8.0)), RedisLock::stats()];
});
queued($server, 1);
same('release()', true, $lock->release('first', $first));
await('it waits for the other lock', slack(8.0), fn () => $lock->inspect('k')->waiters === 1);
queued($server, 1);
$server->cmd('SCRIPT', 'FLUSH');
same('release()', true, $lock->release('k', $token));
[$token, $stats] = $waiter->result()['then'];
matches('token', TOKEN, (string) $token);
same('woken', [2, 0], [$stats['wake_ups'], $stats['wake_failures']]);
same('release()', true, $lock->release('k', $token));
same('keys', [], $server->locks());

done();
?>
--EXPECT--
ok
