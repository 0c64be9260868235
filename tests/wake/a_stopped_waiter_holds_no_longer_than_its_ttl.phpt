--TEST--
A waiter that is stopped when it gets the lock holds it for its TTL at most, and does not count it as held afterwards.
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
$stopped = waiter($server->dsn(), 'k', ['ttl' => 0.5, 'wait' => slack(3.0)]);
queued($server, 1);
$next = waiter($server->dsn(), 'k');
queued($server, 2);
$stopped->signal(SIGSTOP);
$released = now();
same('release()', true, $lock->release('k', $token));
$result = $next->result();
matches('the next one', TOKEN, (string) $result['token']);
check('after the TTL of the stopped one', $result['at'] - $released >= 0.49,
    $result['at'] - $released);
check('within 1.1 s', $result['at'] - $released <= 0.5 + slack(0.6), $result['at'] - $released);
$stopped->signal(SIGCONT);
usleep(50000);
same('the stopped one has not taken it away', $result['token'], $server->cmd('GET', 'k'));
same('release()', true, $lock->release('k', $result['token']));
$late = $stopped->result();
matches('it goes on waiting, and wins', TOKEN, (string) $late['token']);
check('only then', $late['at'] > $result['at']);
same('the first one was undone', 1, $late['stats']['grants_undone']);

done();
?>
--EXPECT--
ok
