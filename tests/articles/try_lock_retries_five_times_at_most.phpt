--TEST--
Document 004: tryLock() backs off from 10 ms, doubled each time, and gives up after five retries.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
putenv('REDIS_URL=' . $server->dsn());
require __DIR__ . '/../../examples/from-the-articles/004-try-lock.php';

same('keys after the example', [], $server->keys());

$guard = new OrderGuard();
$key = 'lock:order:create:42';
$value = uniqid('', true);
$monitor = $server->monitor();
same('tryLock()', true, $guard->tryLock($key, $value, 10));
$lines = $monitor->lines();
same('one SET when it is free', "SET $key TOKEN NX PX 10000", $lines[0]);
check('the value replaces its token', count($lines) === 2 && str_contains($lines[1], $value),
    $lines);

same('the server knows the scripts', false, $guard->tryLock($key, 'first click', 10));
$before = RedisLock::stats();
$monitor->reset();
$took = elapsed(fn () => $guard->tryLock($key, 'second click', 10), $refused);
$after = RedisLock::stats();
same('tryLock() of what another has', false, $refused);
same('delays', 5, $after['backoffs'] - $before['backoffs']);
// 10 + 20 + 40 + 80 + 160 ms, each 20 % more or less.
between('it took', 0.8 * 0.310, 1.2 * 0.310 + slack(0.5), $took);
// Two commands come at once: the SET, and the probe that sets the waiter's mark.
$times = array_column($monitor->named('SET', 'EVALSHA'), 'time');
same('tries and looks', 2 + 5, count($times));
check('a first delay of about 10 ms', $times[2] - $times[1] >= 0.0079, $times);
check('a last one of about 160 ms', end($times) - prev($times) >= 0.127, $times);
same('the holder has it still', $value, $server->cmd('GET', $key));

$took = elapsed(fn () => $guard->tryLock($key, 'in a hurry', 10, 0.05), $refused);
same('tryLock() with less patience', false, $refused);
between('it took', 0.05, slack(0.25), $took);

same('unlock() by another', 0, $guard->unlock($key, 'second click'));
same('unlock()', 1, $guard->unlock($key, $value));
same('unlock() again', 0, $guard->unlock($key, $value));

// A lock that is freed meanwhile is got by one of the retries.
$server->cmd('SET', $key, 'another', 'PX', 60);
same('tryLock() while another ends', true, $guard->tryLock($key, $value, 10));
same('unlock()', 1, $guard->unlock($key, $value));

// The unlock that must not be ignored.
same('a lock too short for its work', true, $guard->tryLock($key, $value, 10));
$server->cmd('PEXPIRE', $key, 20); // its work takes longer
usleep(30000);
same('unlock() tells', 0, $guard->unlock($key, $value));

$server->kill();
throws('no server is no refusal', 'RedisLockConnectionException', '~cannot connect|closed~',
    fn () => $guard->tryLock($key, $value, 10, 0.1));

done();
?>
--EXPECT--
the order is created
ok
