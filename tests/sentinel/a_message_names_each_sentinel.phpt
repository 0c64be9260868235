--TEST--
Without a majority of the Sentinels, or with a wrong name or password, the message says which and why.
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

$sentinels = start_sentinels(3, 0);
$names = array_map(fn ($sentinel) => "127\\.0\\.0\\.1:{$sentinel->dsnPort()}",
    $sentinels->sentinels);

/* A service that they do not know. */
$dsn = str_replace('/' . Sentinels::NAME, '/other', $sentinels->dsn());
throws('unknown service', 'RedisLockConnectionException',
    "~'other': $names[0]: .*; $names[1]: .*; $names[2]: .*~",
    fn () => (new RedisLock($dsn))->acquire('k', 30, 5), 2.0);
throws('why', 'RedisLockConnectionException', '~(does not know it.*){2}~',
    fn () => (new RedisLock($dsn))->acquire('k'), 2.0);

/* A password that they do not have, or that they want. Two answers rule a majority out. */
foreach ($sentinels->sentinels as $sentinel) {
    $sentinel->client()->cmd('ACL', 'SETUSER', 'default', 'resetpass', '>right');
}
$thrown = throws('without the password', 'RedisLockConnectionException',
    '~(NOAUTH.*sentinel_password.*){2}~', fn () => (new RedisLock($sentinels->dsn(),
        persistent: false))->acquire('k'));
$thrown = throws('a wrong password', 'RedisLockConnectionException', '~(: [^;]*WRONGPASS.*){2}~',
    fn () => (new RedisLock($sentinels->dsn('?sentinel_password=wrong'),
        persistent: false))->acquire('k'));
check('no message shows it', !str_contains((string) $thrown, 'wrong@')
    && !str_contains((string) $thrown?->getMessage(), '=wrong'));
$lock = new RedisLock($sentinels->dsn('?sentinel_password=right'));
matches('the right password', TOKEN, (string) $lock->acquire('k', 30));
same('forceRelease()', true, $lock->forceRelease('k'));

/* Two of three are gone. */
$sentinels->sentinels[0]->kill();
$sentinels->sentinels[2]->kill();
throws('no majority', 'RedisLockConnectionException',
    "~no majority of the Sentinels.*$names[0]: cannot connect.*; $names[1]: .*; $names[2]: ~",
    fn () => (new RedisLock($sentinels->dsn('?sentinel_password=right'),
        persistent: false))->acquire('other', 30), 4.0);
same('nothing is left', [], $sentinels->servers[0]->locks());
matches('one is enough if the DSN says so', TOKEN, (string) (new RedisLock($sentinels->dsn(
    '?sentinel_password=right&sentinel_quorum=1'), persistent: false))->acquire('k', 1));

done();
?>
--EXPECT--
ok
