--TEST--
An object with wake: false polls with scripts of one key, makes no helper key, and works together with objects that are woken.
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
$wakes = new RedisLock($server->dsn());
$polls = new RedisLock($server->dsn(), wake: false);

/* No release finds a poller, and a poller needs none. */
$token = $wakes->acquire('k');
$monitor = $server->monitor();
$waiter = waiter($server->dsn(), 'k', options: ['wake' => false]);
usleep((int) (1e6 * room(0.5)));
same('keys', ['0:k'], $server->keys());
$released = now();
same('release()', true, $wakes->release('k', $token));
same('nothing is reserved', true,
    in_array($server->cmd('GET', 'k'), [null, $waiter->result()['token']], true));
$result = $waiter->result();
matches('token', TOKEN, (string) $result['token']);
check('soon', $result['at'] - $released <= 0.25 + slack(0.3), $result['at'] - $released);
same('statistics', [0, 0, 0],
    [$result['stats']['probes'], $result['stats']['wake_ups'], $result['stats']['wake_failures']]);
same('tries of one key, and no queue', [],
    preg_grep('~^(BLPOP|EVAL(SHA)? \S+ 3 .* 30000)~', $monitor->lines()));
same('release()', true, $polls->release('k', $result['token']));
same('keys', [], $server->keys());

/* A waiter in the queue finds out what such a release did not report. */
$token = $polls->acquire('k');
$waiter = waiter($server->dsn(), 'k');
queued($server, 1);
$released = now();
same('release()', true, $polls->release('k', $token));
$result = $waiter->result();
matches('token', TOKEN, (string) $result['token']);
check('within 1.1 s', $result['at'] - $released <= 1.1 + slack(0.3), $result['at'] - $released);
same('its own look woke it', 1, $result['stats']['wake_ups']);

done();
?>
--EXPECT--
ok
