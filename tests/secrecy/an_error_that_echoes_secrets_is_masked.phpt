--TEST--
When a server's error echoes the command, the exception does not repeat password and token.
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
$echo =
    fn (string $name, string ...$args) => "-ERR unknown command '$name', with args beginning with: "
    . implode(' ', array_map(fn ($arg) => "'$arg'", $args)) . "\r\n";
$look = function (string $what, callable $call, string ...$secrets): void {
    $thrown = throws($what, 'RedisLockServerException', '~unknown command|ERR~', $call);
    $seen = $thrown?->getMessage() . implode('', $thrown?->getReasons() ?? []);
    foreach ($secrets as $secret) {
        check("$what: no secret", !str_contains($seen, $secret), $seen);
    }
};
$fake->rules([rule('AUTH', [send($echo('AUTH', 'user', 'S3CRET'))])]);
$look('AUTH', fn () => (new RedisLock($fake->dsn('', 'user:S3CRET')))->acquire('k'), 'S3CRET');
$lock = new RedisLock($fake->dsn());
$lock->isLocked('k');
$fake->rules([rule('SET', [send($echo('SET', 'k', 'T0KEN', 'NX', 'PX'))])]);
$look('SET', fn () => $lock->acquire('k', token: 'T0KEN'), 'T0KEN');
$fake->rules([rule('EVALSHA', [send($echo('EVALSHA', 'sha', '1', 'k', 'T0KEN'))])]);
$look('EVALSHA of release()', fn () => $lock->release('k', 'T0KEN'), 'T0KEN');
$look('EVALSHA of extend()', fn () => $lock->extend('k', 'T0KEN', 10), 'T0KEN');
$fake->rules([rule('EVAL', [send($echo('EVAL', 'script', '1', 'k', 'T0KEN'))])]);
$look('EVAL of release()', fn () => $lock->release('k', 'T0KEN'), 'T0KEN');

/* Servers, proxies and modules may quote them in any other way. */
foreach (["-ERR no user with the password S3CRET, and T0KEN\r\n",
        "-ERR 'T0KEN'T0KENS3CRETS3CRET\r\n", "-NOPERM (S3CRET)[T0KEN]\r\n"] as $error) {
    foreach ([['AUTH', 'SET'], ['SET'], ['EVALSHA']] as $on) {
        $fake->rules(array_map(fn ($name) => rule($name, [send($error)]), $on));
        $own = new RedisLock($fake->dsn('', 'user:S3CRET'), persistent: false);
        $call = $on === ['EVALSHA'] ? fn () => $own->release('k', 'T0KEN')
            : fn () => $own->acquire('k', token: 'T0KEN');
        try {
            $call();
            check('an exception', false);
        } catch (RedisLockServerException $thrown) {
            $seen = $thrown->getMessage() . implode('', $thrown->getReasons());
            check(implode('+', $on) . ': no password and no token', !str_contains($seen, 'S3CRET')
                && ($on[0] === 'AUTH' || !str_contains($seen, 'T0KEN')), $seen);
        }
    }
}

$long = str_repeat('x', 128) . 'TAIL';
$fake->rules([rule('EVALSHA', [send($echo('EVALSHA', 'sha', '1', 'k', substr($long, 0, 120)))])]);
$look('a token that the server cut short', fn () => $lock->release('k', $long),
    substr($long, 0, 100));

done();
?>
--EXPECT--
ok
