--TEST--
The only waiter is stopped until its marks are gone: when its BLPOP ends, its try leaves a free lock free. A waiter that lives, and whose marks were deleted, is not passed over for longer than one look.
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
foreach ([null, 'mine'] as $own) {
    $token = hold($server, 'k');
    $stopped = waiter($server->dsn(), 'k', ['wait' => 2.5, 'ttl' => 60, 'token' => $own]);
    queued($server, 1);
    $stopped->signal(SIGSTOP);
    eventually('its mark is gone', fn () => marked($server, 'k') === [], 3.0);
    same('release()', true, $lock->release('k', $token));
    same('free', null, $server->cmd('GET', 'k'));
    queued($server, 0); // its BLPOP has ended, and the server has run its try
    $stopped->kill();
    same('still free', null, $server->cmd('GET', 'k'));
    same('nothing is left', [], $server->cmd('KEYS', '*'));
    $won = $lock->acquire('k');
    matches('a newcomer', TOKEN, (string) $won);
    same('release()', true, $lock->release('k', $won));
}

/* The try of a waiter that lives is void, too, if the server has lost the marks. The waiter looks
 * again at once. */
$token = hold($server, 'k');
$living = waiter($server->dsn(), 'k');
queued($server, 1);
$server->cmd('DEL', 'k', 'k::rl-wait');
$at = now();
$server->cmd('LPUSH', 'k::rl-wake', 1);
$result = $living->result();
matches('it gets the lock', TOKEN, (string) $result['token']);
check('within 1.1 s', $result['at'] - $at <= slack(1.1), $result['at'] - $at);

done();
?>
--EXPECT--
ok
