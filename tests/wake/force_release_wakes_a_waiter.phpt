--TEST--
forceRelease() wakes a waiter. It does not change a reserved lock, and frees an empty key without an end.
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
foreach ([fn () => hold($server, 'k'),
        fn () => $server->cmd('SET', 'k', 'somebody else', 'PX', 60000)] as $ours => $take) {
    $take();
    $waiter = waiter($server->dsn(), 'k');
    queued($server, 1);
    same('forceRelease()', true, $lock->forceRelease('k'));
    $result = $waiter->result();
    matches('token', TOKEN, (string) $result['token']);
    same('woken', [1, 0], [$result['stats']['wake_ups'], $result['stats']['spurious_wake_ups']]);
    same('forceRelease()', true, $lock->forceRelease('k'));
    same('keys', [], $server->locks());
}

$seen = 0;
for ($try = 0; $try < 50 && $seen < 5; $try++) {
    $server->cmd('SET', 'k', '', 'PX', 10);
    same('of a reserved lock', false, $lock->forceRelease('k'));
    $seen += $server->cmd('PTTL', 'k') >= 0 ? 1 : 0;
    $server->cmd('DEL', 'k');
}
check('the reservation stays', $seen > 0);

foreach ([[], ['PX', 60000]] as $ttl) {
    $server->cmd('SET', 'k', '', ...$ttl);
    same('of an empty key', true, $lock->forceRelease('k'));
    same('keys', [], $server->locks());
}

done();
?>
--EXPECT--
ok
