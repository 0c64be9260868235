--TEST--
The output of an uncaught exception with a lease or a token in its trace shows no token.
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
foreach (['$lease = $lock->resume("k", "S3" . "CRET", -1);',
    '$lock->synchronized("k", fn () => throw new LogicException("x"));',
    '(fn ($l) => $l->extend(-1))($lock->resume("k", $lock->acquire("k", token: "S3" . "CRET")));']
    as $call) {
    $seen = run_php(CHILD_BEGINS . $call, [$server->dsn()],
        ['zend.exception_ignore_args' => 0, 'zend.exception_string_param_max_len' => 1000]);
    matches('output', '~Uncaught~', $seen);
    check('no secret', !preg_match('~S3CRET|rl1\.~', $seen), $seen);
    same('keys', [], $server->keys());
}

done();
?>
--EXPECT--
ok
