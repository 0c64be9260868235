--TEST--
A query whose answer is lost is sent again; a lost forceRelease() has an unknown outcome.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/fake_server.inc';

$server = start_server();
$fake = fake_server([], $server);
$lock = new RedisLock($fake->dsn(), timeout: slack(1.0));
$token = $lock->acquire('k', 20);
foreach ([['close'], ['forward', 'close']] as $lost) {
    foreach (['EXISTS', 'GET', 'PTTL'] as $command) {
        $fake->rules([rule($command, $lost, times: 1)]);
        check($command, match ($command) {
            'EXISTS' => $lock->isLocked('k') === true,
            'GET' => $lock->owner('k') === $token,
            'PTTL' => $lock->remaining('k') > 0,
        });
    }
}
$lock->forceRelease('another'); // now the server knows the script
$fake->rules([rule('EVALSHA', ['close'], times: 1)]);
throws('a script that was not run', 'RedisLockConnectionException', '~unknown~i',
    fn () => $lock->forceRelease('k'));
same('it is not said again: somebody else may have the lock by then', ['0:k'], $server->keys());
$fake->rules([rule('EVALSHA', ['forward', 'close'], times: 1)]);
throws('a script that was run', 'RedisLockConnectionException', '~unknown|known~i',
    fn () => $lock->forceRelease('k'));
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
