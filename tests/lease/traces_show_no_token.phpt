--TEST--
No exception of a lease and no trace shows a token.
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
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$own = new RedisLock($server->dsn(), timeout: slack(0.1));
$lease = $own->resume('k', $own->acquire('k', 60, token: 'S3CRET-token'));
$port = refusing_port($holder);
$refused = new RedisLock("redis://127.0.0.1:$port");
$server->pause();
$calls = [
    'verify()' => fn () => $lease->verify(),
    'extend()' => fn () => $lease->extend(30),
    'release()' => fn () => $lease->release(),
    'resume()' => fn () => $own->resume('k', 'S3CRET-token'),
    'lease() refused' => fn () => $refused->lease('k', token: 'S3CRET-token'),
    'lease() with a bad ttl' => fn () => $own->lease('k', -1, token: 'S3CRET-token'),
    'lease() with a long token' => fn () => $own->lease('k',
        token: str_repeat('S3CRET-token', 1000)),
    'resume() refused' => fn () => $refused->resume('k', 'S3CRET-token'),
    'resume() with a bad ttl' => fn () => $own->resume('k', 'S3CRET-token', -1),
    'resume() with a bad key' => fn () => $own->resume('', 'S3CRET-token'),
    'resume() with a long token' => fn () => $own->resume('k', str_repeat('S3CRET-token', 1000)),
    'a lease as an argument' => fn () =>
        (fn (RedisLockLease $lease) => throw new LogicException('x'))($lease),
    'resume() with a bad type' => fn () => $own->resume('k', 'S3CRET-token', 'x'),
];
foreach ($calls as $what => $call) {
    try {
        $call();
        check("$what: an exception", false);
    } catch (Throwable $thrown) {
        ob_start();
        var_dump((string) $thrown, $thrown->getTrace());
        print_r($thrown->getTrace());
        echo json_encode($thrown->getTrace(), JSON_PARTIAL_OUTPUT_ON_ERROR);
        var_dump($thrown);
        $seen = ob_get_clean();
        check("$what: no secret", !str_contains($seen, 'S3CRET'), $seen);
    }
}
$server->resume();
$server->cmd('SET', 'k', 'S3CRET-token', 'PX', 60000);
$lease = $lock->resume('k', 'S3CRET-token');
$server->cmd('SET', 'k', 'another', 'PX', 60000);
$lease->verify();
$lost = throws('assertHeld()', 'RedisLockLostException', '~"k"~', fn () => $lease->assertHeld());
check('no secret', !str_contains(print_r($lost, true) . $lost, 'S3CRET'));

done();
?>
--EXPECT--
ok
