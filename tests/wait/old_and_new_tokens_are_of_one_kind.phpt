--TEST--
While tokens with and without labels are in use, waiters sleep until they are woken, and do not poll.
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
$old = 'rl1.' . str_repeat('a', 24);
foreach (['without a label' => $old, 'with a label' => "$old@cron",
    'of token()' => RedisLock::token()] as $what => $token) {
    hold($server, 'k', 60000, $token);
    $waiter = waiter($server->dsn(), 'k', ['wait' => 2.5]);
    $result = $waiter->result();
    same("$what: in vain", null, $result['token']);
    between("$what: looks", 1, 4, $result['stats']['probes']);
    same("$what: no back-off delays", 0, $result['stats']['backoffs']);
    hold($server, 'k', 60000, $token);
    $lock = new RedisLock($server->dsn());
    $waiter = waiter($server->dsn(), 'k');
    queued($server, 1);
    hand_to_waiter($lock, 'k', $token, $waiter, null);
}
hold($server, 'k', 60000, 'own');
check('an own token: looks after back-off delays',
    waiter($server->dsn(), 'k', ['wait' => room(1.0)])->result()['stats']['backoffs'] > 3);

done();
?>
--EXPECT--
ok
