--TEST--
A bad key, ttl, wait, maxHold, token or section is a ValueError or TypeError, and nothing is sent.
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
$taken = $lock->lease('k', 60);
$token = $taken->token();
$long = str_repeat('x', 65537);
without_traffic('bad arguments', $server, function () use ($lock, $taken, $token, $long): void {
    $section = fn () => check('the section is not called', false);
    foreach ([0, -1, 0.0049, NAN, INF, -INF, 366 * 86400 + 1, PHP_FLOAT_MAX] as $ttl) {
        throws('lease() ' . show($ttl), 'ValueError', '~Argument #2 \(\$ttl\)~',
            fn () => $lock->lease('a', $ttl));
        throws('resume() ' . show($ttl), 'ValueError', '~Argument #3 \(\$ttl\)~',
            fn () => $lock->resume('k', $token, $ttl));
        throws('synchronized() ' . show($ttl), 'ValueError', '~Argument #3 \(\$ttl\)~',
            fn () => $lock->synchronized('a', $section, $ttl));
        throws('extend() ' . show($ttl), 'ValueError', '~Argument #1 \(\$ttl\)~',
            fn () => $taken->extend($ttl));
    }
    foreach ([-1, -0.001, NAN, -INF] as $wait) {
        throws('lease() ' . show($wait), 'ValueError', '~Argument #3 \(\$wait\)~',
            fn () => $lock->lease('a', 10, $wait));
        throws('synchronized() ' . show($wait), 'ValueError', '~Argument #4 \(\$wait\)~',
            fn () => $lock->synchronized('a', $section, 10, $wait));
    }
    foreach ([0, -1, -0.001, NAN, -INF] as $hold) {
        throws('lease() ' . show($hold), 'ValueError', '~Argument #5 \(\$maxHold\)~',
            fn () => $lock->lease('a', maxHold: $hold));
        throws('resume() ' . show($hold), 'ValueError', '~Argument #5 \(\$maxHold\)~',
            fn () => $lock->resume('k', $token, maxHold: $hold));
        throws('synchronized() ' . show($hold), 'ValueError', '~Argument #6 \(\$maxHold\)~',
            fn () => $lock->synchronized('a', $section, maxHold: $hold));
        throws('lease() without renewal ' . show($hold), 'ValueError',
            '~Argument #5 \(\$maxHold\)~',
            fn () => $lock->lease('a', renew: false, maxHold: $hold));
    }
    foreach (['', $long, 'a::rl-wait', 'a::rl-wake', 'a::rl-fence'] as $key) {
        throws('lease() ' . substr($key, 0, 20), 'ValueError', '~Argument #1 \(\$key\)~',
            fn () => $lock->lease($key));
        throws('resume() ' . substr($key, 0, 20), 'ValueError', '~Argument #1 \(\$key\)~',
            fn () => $lock->resume($key, $token));
        throws('synchronized() ' . substr($key, 0, 20), 'ValueError', '~Argument #1 \(\$key\)~',
            fn () => $lock->synchronized($key, $section));
    }
    foreach (['', '0', str_repeat('t', 4097)] as $bad) {
        throws('resume() ' . substr($bad, 0, 20), 'ValueError', '~Argument #2 \(\$token\)~',
            fn () => $lock->resume('k', $bad));
        throws('lease() with a token ' . substr($bad, 0, 20), 'ValueError',
            '~Argument #7 \(\$token\)~', fn () => $lock->lease('a', token: $bad));
    }
    foreach (['no such function', [$lock, 'nothing'], 'RedisLock::lease', 17, null, []] as $bad) {
        throws('synchronized() ' . show($bad), 'TypeError',
            '~Argument #2 \(\$section\) must be a valid callback~',
            fn () => $lock->synchronized('a', $bad));
    }
    throws('a type', 'TypeError', '~Argument #2 \(\$ttl\)~', fn () => $lock->lease('a', 'x'));
    throws('a type', 'TypeError', '~Argument #5 \(\$maxHold\)~',
        fn () => $lock->lease('a', maxHold: 'x'));
    throws('a type', 'TypeError', '~Argument #4 \(\$renew\)~',
        fn () => $lock->lease('a', renew: []));
    foreach (['no such function', [$lock, 'nothing'], 'RedisLock::lease', 17, true, []] as $bad) {
        throws('lease(), onLoss ' . show($bad), 'TypeError',
            '~Argument #6 \(\$onLoss\) must be a valid callback or null~',
            fn () => $lock->lease('a', onLoss: $bad));
        throws('resume(), onLoss ' . show($bad), 'TypeError',
            '~Argument #6 \(\$onLoss\) must be a valid callback or null~',
            fn () => $lock->resume('a', 't', onLoss: $bad));
        throws('synchronized(), onLoss ' . show($bad), 'TypeError',
            '~Argument #7 \(\$onLoss\) must be a valid callback or null~',
            fn () => $lock->synchronized('a', $section, onLoss: $bad));
    }
    throws('a type', 'TypeError', '~Argument #1 \(\$key\)~', fn () => $lock->lease($lock));
    throws('a type', 'TypeError', '~Argument #1 \(\$ttl\)~', fn () => $taken->extend('x'));
    throws('too few', 'ArgumentCountError', '~at least 1~', fn () => $lock->lease());
    throws('too few', 'ArgumentCountError', '~at least 2~', fn () => $lock->resume('k'));
    throws('too few', 'ArgumentCountError', '~at least 2~', fn () => $lock->synchronized('k'));
    throws('too few', 'ArgumentCountError', '~exactly 1~', fn () => $taken->extend());
    foreach (['key', 'keys', 'token', 'remaining', 'isHeld', 'assertHeld', 'verify', 'release',
            'detach', 'heldFor', 'waited', 'attempts', 'loss'] as $method) {
        throws("$method(1)", 'ArgumentCountError', '~exactly 0~', fn () => $taken->$method(1));
    }
});
is_whole('the lease', $server, $taken);

done();
?>
--EXPECT--
ok
