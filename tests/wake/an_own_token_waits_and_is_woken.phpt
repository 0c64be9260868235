--TEST--
A call with a caller's own token waits in the queue, is woken, returns null at its deadline, and is refused by an equal token of another holder.
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
$token = hold($server, 'k');
$waiter = waiter($server->dsn(), 'k', ['token' => 'mine']);
queued($server, 1);
same('release()', true, $lock->release('k', $token));
$result = $waiter->result();
same('token', 'mine', $result['token']);
same('woken', 1, $result['stats']['wake_ups']);
between('without a probe after the first, but for one each 0.85 s', 1,
    1 + floor($result['stats']['wait_time']['sum'] / 0.84), $result['stats']['probes']);
same('value', 'mine', $server->cmd('GET', 'k'));

/* 'mine' is a stranger's now. */
foreach (['mine', 'another'] as $own) {
    $took = elapsed(fn () => $lock->acquire('k', 60, 0.3, $own), $refused);
    same("the wait of '$own'", null, $refused);
    between('not before the deadline', 0.3, slack(1.5), $took);
    same('the holder has it still', 'mine', $server->cmd('GET', 'k'));
    check('with its own TTL', $server->cmd('PTTL', 'k') <= 30000, $server->cmd('PTTL', 'k'));
    same('nobody is marked', [], marked($server, 'k'));
}

/* The lock ends by its TTL, and the waiter with the equal token gets it. */
$server->cmd('PEXPIRE', 'k', 300);
same('the same token afterwards', 'mine', $lock->acquire('k', 60, 20, 'mine'));
check('a TTL of its own', $server->cmd('PTTL', 'k') > 30000);
same('release()', true, $lock->release('k', 'mine'));
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
