--TEST--
A waiter that is stopped past its deadline takes nothing: the next waiter gets the lock, and the stopped one returns null when it continues.
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
/* Not longer: BLPOP ends a second after it, and the mark lasts for two. */
$wait = min(room(0.4), 0.7);
foreach ([null, 'mine'] as $own) {
    $token = hold($server, 'k');
    $stopped = waiter($server->dsn(), 'k', ['wait' => $wait, 'token' => $own]);
    queued($server, 1);
    $stopped->signal(SIGSTOP);
    $next = waiter($server->dsn(), 'k');
    queued($server, 2);
    queued($server, 1); // the server's own end of the first one's BLPOP
    $released = now();
    same('release()', true, $lock->release('k', $token));
    $result = $next->result();
    check('the next one was woken', $result['stats']['wake_ups'] === 1
        && $result['at'] - $released <= slack(0.9), $result);
    $stopped->signal(SIGCONT);
    $late = $stopped->result();
    same('the late one', [null, null], [$late['token'], $late['error']]);
    same('value', $result['token'], $server->cmd('GET', 'k'));
    same('release()', true, $lock->release('k', $result['token']));
    eventually('no lock is left', fn () => $server->locks() === [], 0.5);
}

/* Released before the deadline of the queue, but no waiter takes the ticket: the waiter is stopped
 * in its last 20 ms, or dead. */
$token = hold($server, 'k');
$server->cmd('RPUSH', 'k::rl-wake', 1);
$server->cmd('PEXPIRE', 'k::rl-wake', 1000);
[$seconds] = $server->cmd('TIME');
$server->cmd('ZADD', 'k::rl-wait', ($seconds + 2) * 1000, 'a waiter that was killed');
same('release()', true, $lock->release('k', $token));
$took = elapsed(fn () => $lock->acquire('k', wait: 10), $won);
matches('a newcomer', TOKEN, (string) $won);
check('within 1.1 s', $took <= slack(1.1), $took);

done();
?>
--EXPECT--
ok
