--TEST--
A reservation that no waiter takes is gone after 10 ms.
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
$seen = 0;
for ($try = 0; $try < 50 && $seen < 5; $try++) {
    $token = $lock->acquire('k');
    [$seconds] = $server->cmd('TIME');
    $server->cmd('ZADD', 'k::rl-wait', ($seconds + 2) * 1000, 'a waiter that was killed');
    same('release()', true, $lock->release('k', $token));
    $start = now();
    [$value, $pttl] = $server->cmd('EVAL',
        "return {redis.call('GET',KEYS[1]),redis.call('PTTL',KEYS[1])}", 1, 'k');
    if ($pttl >= 0) {
        same('a reservation', '', $value);
        check('it ends within 10 ms', $pttl <= 10, $pttl);
        same('isLocked()', true, $lock->isLocked('k') || now() - $start > min(0.005, $pttl / 1000));
        same('owner()', null, $lock->owner('k'));
        same('one ticket', 1, $server->cmd('LLEN', 'k::rl-wake'));
        between('it ends within 1 s', 0, 1000, $server->cmd('PTTL', 'k::rl-wake'));
        $seen++;
    }
    eventually('it is free', fn () => $server->cmd('EXISTS', 'k') === 0, 0.2);
}
check('reservations were seen', $seen > 0);
same('acquire()', true, $lock->acquire('k') !== null);

done();
?>
--EXPECT--
ok
