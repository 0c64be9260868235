--TEST--
A try that the server runs only after the waiter's deadline takes nothing.
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
/* The server judges the try by the marks, which last for two seconds. BLPOP ends a second after the
 * wait. A waiter probes again after 850 ms. So the wait does not grow with the load without end. */
$wait = min(slack(0.4), 0.7);
foreach ([null, 'mine'] as $own) {
    /* The lock's TTL and the deadline pass while the server is stopped; the waiter cannot take its
     * try back. */
    hold($server, 'k', (int) ($wait * 1200));
    $late = waiter($server->dsn(), 'k', ['wait' => $wait, 'token' => $own]);
    queued($server, 1);
    $late->signal(SIGSTOP);
    $server->pause();
    usleep((int) ($wait * 1.2e6) + 200_000);
    $server->resume();
    queued($server, 0);
    usleep(20000);
    same('nobody has it', 0, $server->cmd('EXISTS', 'k'));
    $took = elapsed(fn () => (new RedisLock($server->dsn()))->acquire('k', wait: 10), $token);
    matches('a newcomer', TOKEN, (string) $token);
    check('within 1.1 s', $took <= slack(1.1), $took);
    $late->signal(SIGCONT);
    $result = $late->result();
    same('the late one', [null, null], [$result['token'], $result['error']]);
    same('value', $token, $server->cmd('GET', 'k'));
}

/* The ticket of a release that comes too late goes on to the next one. */
$server->cmd('DEL', 'k');
$token = hold($server, 'k');
$late = waiter($server->dsn(), 'k', ['wait' => $wait]);
queued($server, 1);
$late_until = now() + $wait;
$next = waiter($server->dsn(), 'k');
queued($server, 2);
$late->signal(SIGSTOP);
$server->pause();
$releases = in_fork(fn () => same('release()', true,
    (new RedisLock($server->dsn(), timeout: slack(5)))->release('k', $token)));
usleep((int) (max(0.0, $late_until + 0.05 - now()) * 1e6));
$server->resume();
woken('the next one', $next->result());
reap($releases);
$late->signal(SIGCONT);
same('the late one', null, $late->result()['token']);

done();
?>
--EXPECT--
ok
