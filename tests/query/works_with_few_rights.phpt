--TEST--
inspect() needs no right to the helper keys: without it inspect() sees no waiters.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_on_cluster('the helper keys have other names');
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$server->cmd('ACL', 'SETUSER', 'viewer', 'on', '>pw', 'resetkeys', '~k', '+get', '+pttl', '+eval',
    '+evalsha', '+client|setname', '+ping', '+role', '+cluster|slots');
$holder = new RedisLock($server->dsn(), label: 'web');
$token = $holder->acquire('k');
$waiter = waiter($server->dsn(), 'k');
queued($server, 1);
same('with the rights', 1, $holder->inspect('k')->waiters);
$viewer = new RedisLock($server->dsn('', 'viewer:pw'));
$state = $viewer->inspect('k');
same('label', 'web', $state->label);
same('waiters', 0, $state->waiters);
same('no fallback is counted', 0, RedisLock::stats()['wake_failures']);
same('without wake', 0, (new RedisLock($server->dsn(), wake: false))->inspect('k')->waiters);
$holder->release('k', $token);
$waiter->result();
throws('without the right to the key', 'RedisLockServerException', '~NOPERM~',
    fn () => $viewer->inspect('other'));

done();
?>
--EXPECT--
ok
