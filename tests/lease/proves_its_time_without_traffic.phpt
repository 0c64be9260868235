--TEST--
remaining(), isHeld(), assertHeld(), heldFor() and the like send nothing; remaining() decreases, and heldFor() increases.
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
$lease = $lock->lease('k', 10);
$server->pause();
$first = $lease->remaining();
between('remaining() is less than the ttl by the drift', 5.0, 9.9, $first);
$held = $lease->heldFor();
usleep(50000);
check('remaining() goes down', $lease->remaining() <= $first - 0.05);
check('heldFor() goes up', $lease->heldFor() >= $held + 0.05);
same('isHeld()', true, $lease->isHeld());
same('assertHeld()', null, $lease->assertHeld());
same('the others', ['k', 1], [$lease->key(), $lease->attempts()]);
matches('token()', TOKEN, $lease->token());
$server->resume();

done();
?>
--EXPECT--
ok
