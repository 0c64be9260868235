--TEST--
No exception and no trace shows a password or a token.
--EXTENSIONS--
redislock
--INI--
zend.exception_ignore_args=0
zend.exception_string_param_max_len=1000
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$port = refusing_port($holder);
$lock = new RedisLock($server->dsn());
$refused = new RedisLock("redis://user:S3CRET@127.0.0.1:$port");
$server->cmd('RPUSH', 'list', 'x');
$calls = [
    'a bad DSN' => fn () => new RedisLock('redis://user:S3CRET@'),
    'a bad option in a DSN' => fn () => new RedisLock('redis://user:S3CRET@host?bogus=1'),
    'a lone word' => fn () => new RedisLock('redis://S3CRET@host'),
    'a scheme' => fn () => new RedisLock('http://user:S3CRET@host'),
    'no scheme' => fn () => new RedisLock('user:S3CRET@host'),
    'a bad port' => fn () => new RedisLock('redis://user:S3CRET@host:port'),
    'a slash in a password' => fn () => new RedisLock('redis://user:S3C/RET-S3CRET@host'),
    'percent-encoding' => fn () => new RedisLock('redis://user:S3CRET%zz@host'),
    'a list' => fn () => new RedisLock(['redis://user:S3CRET@a', 'redis://user:S3CRET@a']),
    'not a string' => fn () => new RedisLock([['redis://user:S3CRET@a']]),
    'another argument' => fn () => new RedisLock('redis://user:S3CRET@host', timeout: -1),
    'refused' => fn () => $refused->acquire('k', token: 'S3CRET'),
    'refused release()' => fn () => $refused->release('k', 'S3CRET'),
    'refused extend()' => fn () => $refused->extend('k', 'S3CRET', 10),
    'wrong password' => fn () => (new RedisLock($server->dsn('', 'user:S3CRET')))->acquire('k',
        token: 'S3CRET'),
    'WRONGTYPE' => fn () => $lock->release('list', 'S3CRET'),
    'a bad ttl' => fn () => $lock->acquire('k', -1, token: 'S3CRET'),
    'a bad key' => fn () => $lock->release('', 'S3CRET'),
    'a bad ttl of extend()' => fn () => $lock->extend('k', 'S3CRET', -1),
    'a long token' => fn () => $lock->release('k', str_repeat('S3CRET', 1000)),
];
foreach ($calls as $what => $call) {
    try {
        $call();
        check("$what: an exception", false);
    } catch (Throwable $thrown) {
        ob_start();
        var_dump($thrown->getMessage(), (string) $thrown, $thrown->getTraceAsString());
        print_r(json_encode($thrown->getTrace(), JSON_PARTIAL_OUTPUT_ON_ERROR));
        var_dump($thrown->getTrace()[0]);
        if ($thrown instanceof RedisLockException) {
            var_dump($thrown->getReasons());
            var_dump($thrown);
        }
        $seen = ob_get_clean();
        check("$what: no secret", !str_contains($seen, 'S3CRET')
            && !str_contains($seen, 'RET-'), $seen);
    }
}

done();
?>
--EXPECT--
ok
