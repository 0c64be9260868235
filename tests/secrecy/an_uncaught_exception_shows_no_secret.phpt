--TEST--
An uncaught exception shows no password and no token on the screen.
--EXTENSIONS--
redislock
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$port = refusing_port($holder);
foreach (['$token = $lock->acquire("k", token: "S3" . "CRET");',
        '$lock->release("k", "S3" . "CRET");',
        '$lock->extend("k", "S3" . "CRET", -1);',
        'new RedisLock("redis://user:S3" . "CRET@a b");'] as $call) {
    $seen = run_php('$lock = new RedisLock(getenv("DSN")); ' . $call, [],
        ['zend.exception_ignore_args' => 0, 'zend.exception_string_param_max_len' => 1000],
        ['DSN' => "redis://user:S3CRET@127.0.0.1:$port"]);
    matches('output', '~Uncaught~', $seen);
    check('no secret', !str_contains($seen, 'S3CRET'), $seen);
}

done();
?>
--EXPECT--
ok
