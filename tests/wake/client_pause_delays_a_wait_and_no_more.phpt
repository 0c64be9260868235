--TEST--
CLIENT PAUSE delays a wait; past the deadline the wait throws in time and leaves no lock.
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
$lock = new RedisLock($server->dsn(), timeout: slack(1.0));

$token = hold($server, 'k');
$waiter = waiter($server->dsn(), 'k');
queued($server, 1);
$paused = now();
$server->cmd('CLIENT', 'PAUSE', 500, 'ALL');
same('release()', true, $lock->release('k', $token));
check('it was paused', now() - $paused >= 0.4);
$result = $waiter->result();
matches('token', TOKEN, (string) $result['token']);
check('soon', $result['at'] - $paused <= 0.5 + slack(1.1), $result['at'] - $paused);
same('release()', true, $lock->release('k', $result['token']));

/* A look that times out meanwhile does not end the wait. */
$token = hold($server, 'k');
$waiter = waiter($server->dsn(), 'k', options: ['timeout' => room(0.1)]);
queued($server, 1);
usleep(650000); // the look comes 0.85 s after the first, and so in the pause
$paused = now();
$server->cmd('CLIENT', 'PAUSE', 700, 'ALL');
same('release()', true, $lock->release('k', $token));
$result = $waiter->result();
matches('token', TOKEN, (string) $result['token']);
check('soon', $result['at'] - $paused <= 0.7 + slack(1.1), $result['at'] - $paused);
same('release()', true, $lock->release('k', $result['token']));
eventually('no lock is left', fn () => $server->locks() === [], 0.5);

/* Past the deadline. */
$unit = room(0.1);
$token = hold($server, 'k');
$waiter = waiter($server->dsn(), 'k', ['wait' => 4 * $unit], ['timeout' => 3 * $unit]);
queued($server, 1);
$server->cmd('CLIENT', 'PAUSE', (int) (10000 * $unit), 'ALL');
$result = $waiter->result();
matches('it says so', '~RedisLockConnectionException~', (string) $result['error']);
between('in time', 4 * $unit, 7 * $unit + slack(0.5), $result['took']);
same('value', $token, $server->cmd('GET', 'k')); // answered when the pause is over
same('release()', true, $lock->release('k', $token));
eventually('no lock is left', fn () => $server->locks() === [], 0.5);

done();
?>
--EXPECT--
ok
