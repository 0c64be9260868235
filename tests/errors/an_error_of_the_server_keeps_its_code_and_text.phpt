--TEST--
An error of the server is thrown with its code, its text and the server's name.
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

$fake = fake_server();
$lock = new RedisLock($fake->dsn('/0'), timeout: slack(1.0));
$lock->isLocked('k');
foreach (["OOM command not allowed when used memory > 'maxmemory'." => 'OOM',
    'ERR something odd' => 'ERR', 'NOPERM no permissions' => 'NOPERM',
    'MYCODE custom' => 'MYCODE', 'READONLY' => 'READONLY'] as $text => $code) {
    foreach (['SET' => fn () => $lock->acquire('k'), 'EXISTS' => fn () => $lock->isLocked('k'),
        'GET' => fn () => $lock->owner('k'),
        'PTTL' => fn () => $lock->remaining('k'),
        'EVALSHA to free' => fn () => $lock->forceRelease('k'),
        'EVALSHA' => fn () => $lock->release('k', 'token')] as $command => $call) {
        $fake->rules([rule(strtok($command, ' '), [send("-$text\r\n")])]);
        $thrown = throws("$code on $command", 'RedisLockServerException',
            '~' . preg_quote($text) . '~', $call);
        same('code', $code, $thrown?->getErrorCode());
        same('errno', 0, $thrown?->getCode());
        same('reasons', 1, count($thrown?->getReasons() ?? []));
        check('the server is named', str_contains((string) $thrown?->getMessage(), $fake->dsn()),
            $thrown?->getMessage());
    }
}
/* An error is an answer, and the connection stays; only a replica is left: each of the six calls
 * dials once more. */
same('connections', 1 + 6, $fake->connections());

done();
?>
--EXPECT--
ok
