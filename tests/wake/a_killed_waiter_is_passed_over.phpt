--TEST--
If the first waiter in the queue was killed, the next one is woken; if it was killed with the lock, the TTL frees the lock.
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
$killed = waiter($server->dsn(), 'k', ['ttl' => 60]);
queued($server, 1);
$next = waiter($server->dsn(), 'k', ['ttl' => 0.5], then: fn () => sleep(60));
queued($server, 2);
$last = waiter($server->dsn(), 'k');
queued($server, 3);
$killed->kill();
queued($server, 2);
same('release()', true, $lock->release('k', $token));
eventually('the next has it',
    fn () => !in_array($server->cmd('GET', 'k'), ['', null, $token], true), 0.9);
$end = now() + 0.5;
$next->kill();
$result = $last->result();
matches('the last', TOKEN, (string) $result['token']);
check('within 1.1 s of its end', $result['at'] - $end <= slack(1.1), $result['at'] - $end);
same('value', $result['token'], $server->cmd('GET', 'k'));

done();
?>
--EXPECT--
ok
