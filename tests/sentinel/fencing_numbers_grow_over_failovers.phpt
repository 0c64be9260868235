--TEST--
Behind Sentinels fencing numbers grow over failovers, also if the new primary lacks the last one.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/sentinel.inc';
skip_without_sentinel();
skip_without_fences();
?>
--FILE--
<?php
require __DIR__ . '/../inc/sentinel.inc';

$sentinels = start_sentinels();
$lock = new RedisLock($sentinels->dsn());
$fence = function () use ($lock): int {
    $lease = $lock->lease('k', 30, wait: slack(10.0));
    $number = $lease->fence();
    $lease->release();
    return $number;
};
$last = $fence();

/* The replica has the number, which is ahead of its clock. */
$ahead = $last + 3600 * 1000000;
$sentinels->ask($sentinels->primary(), 'SET', 'k::rl-fence', $ahead);
$replica = 1 - $sentinels->primary();
eventually('the replica has it',
    fn () => $sentinels->ask($replica, 'GET', 'k::rl-fence') === (string) $ahead, 10.0);
$sentinels->failover();
$number = $fence();
same('the number decides', $ahead + 1, $number);

/* A lease that is held keeps its number, and the next holder gets a greater one. */
$lease = $lock->lease('held', 30, wait: slack(10.0));
$number = $lease->fence();
$sentinels->awaitCopies(1 - $sentinels->primary(), 'held', 'held::rl-fence');
$sentinels->failover();
same('verify()', true, $lease->verify());
same('the same number', $number, $lease->fence());
$lease->release();

/* The new primary has lost the last number: its clock decides. */
$last = $lock->synchronized('lost', fn ($lease) => $lease->fence(), wait: slack(10.0));
$sentinels->ask($sentinels->primary(), 'DEL', 'lost::rl-fence');
$sentinels->failover();
check('the clock decides',
    $lock->synchronized('lost', fn ($lease) => $lease->fence(), wait: slack(10.0)) > $last);

done();
?>
--EXPECT--
ok
