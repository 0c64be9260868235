--TEST--
waited() and attempts() report the time and the attempts that it took to get the lock.
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
$now = $lock->lease('free');
between('waited() for a free lock', 0, slack(0.5), $now->waited());
same('attempts()', 1, $now->attempts());
$server->cmd('SET', 'k', 'somebody', 'PX', (int) (1000 * room(0.3)));
$lease = $lock->lease('k', 30, slack(5.0));
check('it came', $lease !== null);
between('waited()', 0.2, slack(5.0), $lease->waited());
check('attempts()', $lease->attempts() >= 2, $lease->attempts());
between('heldFor() begins when it was won', 0, 0.2 + slack(0.1), $lease->heldFor());
same('of resume()', [0.0, 1],
    (fn ($lease) => [$lease->waited(), $lease->attempts()])($lock->resume('free', $now->detach())));

done();
?>
--EXPECT--
ok
