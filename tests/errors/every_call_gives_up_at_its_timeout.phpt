--TEST--
Every call on a server that hangs gives up at its timeout.
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
$timeout = room(0.3);
$lock = new RedisLock($server->dsn(), timeout: $timeout, connectTimeout: $timeout);
$token = $lock->acquire('held', 60);
$lock->release('k', $lock->acquire('k'));
foreach ([
    'acquire' => fn () => $lock->acquire('k'),
    'release' => fn () => $lock->release('held', RedisLock::token()),
    'extend' => fn () => $lock->extend('held', RedisLock::token(), 10),
    'isLocked' => fn () => $lock->isLocked('held'),
    'owner' => fn () => $lock->owner('held'),
    'remaining' => fn () => $lock->remaining('held'),
    'forceRelease' => fn () => $lock->forceRelease('nothing'),
] as $name => $call) {
    foreach (['warm', 'cold'] as $state) {
        $state === 'warm' ? $lock->isLocked('k') : $lock->close();
        $server->pause();
        $took =
            elapsed(fn () => throws("$state $name()", 'RedisLockConnectionException', '~'
                . preg_quote($server->name()) . '.*(timed? ?out|answer|repl|respon)~is', $call));
        between("seconds of $state $name()", $timeout, slack(0.6 + 1.5), $took);
        $server->resume();
    }
}
eventually('only the held lock is left', fn () => $server->keys() === ['0:held']);
same('it is whole', $token, $server->cmd('GET', 'held'));
same('the next call works', true, $lock->release('held', $token));

done();
?>
--EXPECT--
ok
