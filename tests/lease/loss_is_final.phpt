--TEST--
A lease that was lost stays lost, also when its key comes back with its token.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
foreach (['verify()', 'extend()'] as $how) {
    $lease = $lock->lease('k', 20);
    $token = $lease->token();
    $server->cmd('DEL', 'k');
    same($how, false, $how === 'verify()' ? $lease->verify() : $lease->extend(20));
    $server->cmd('SET', 'k', $token, 'PX', 20000);
    same("$how: isHeld()", false, $lease->isHeld());
    same("$how: verify()", false, $lease->verify());
    same("$how: extend()", false, $lease->extend(20));
    same("$how: remaining()", 0.0, $lease->remaining());
    throws("$how: assertHeld()", 'RedisLockLostException', '~"k" was lost~',
        fn () => $lease->assertHeld());
    $server->cmd('DEL', 'k');
}
$lease = $lock->lease('k', room(0.15), renew: false);
$token = $lease->token();
eventually('its time is over', fn () => !$lease->isHeld(), 2.0);
$server->cmd('SET', 'k', $token, 'PX', 20000);
same('verify() of what is over', false, $lease->verify());
same('a new one can be had of it', true, $lock->resume('k', $token)->isHeld());

done();
?>
--EXPECT--
ok
