--TEST--
A planned failover makes no acquire fail, and after it the old primary grants nothing.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/sentinel.inc';
skip_without_sentinel();
?>
--FILE--
<?php
require __DIR__ . '/../inc/sentinel.inc';

$sentinels = start_sentinels(3, 1);
$lock = new RedisLock($sentinels->dsn());
$lock->release('k', (string) $lock->acquire('k', 30));
$sentinels->beginFailover();
$until = now() + slack(20.0);
$after = 0;
$rounds = 0;
$places = [];
while ($after < 20 && now() < $until) {
    $token = $lock->acquire('k', 30, slack(5.0));
    matches('acquire()', TOKEN, (string) $token);
    $holders = array_values(array_filter([0, 1], fn (int $i) =>
        $sentinels->ask($i, 'GET', 'k') === $token));
    $places[] = implode('+', $holders);
    try {
        $lock->release('k', (string) $token);
    } catch (RedisLockConnectionException) {
        // The old primary may be cut off between running the release and answering it.
    }
    $after += RedisLock::stats()['primary_switches'] > 0 ? 1 : 0;
    $rounds++;
    usleep(20000);
}
check('the switch was followed', $after === 20, RedisLock::stats());
check('before it the old primary was asked', $rounds > 20, $rounds);
same('the new primary', 1, $sentinels->awaitPrimary(1));
same('at the end all is at the new primary', [],
    array_diff(array_slice($places, -10), ['1', '0+1']));
same('nothing is left', [], $sentinels->servers[1]->locks());

done();
?>
--EXPECT--
ok
