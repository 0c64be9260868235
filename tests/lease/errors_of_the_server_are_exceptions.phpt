--TEST--
lease(), resume() and synchronized() throw the errors of the server and the network, and no section is called.
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
$section = fn () => check('not called', false);
$port = refusing_port($holder);
$refused = new RedisLock("redis://127.0.0.1:$port");
$server->cmd('CONFIG', 'SET', 'requirepass', 'secret');
$calls = fn (RedisLock $lock) => ['lease()' => fn () => $lock->lease('k'),
    'resume()' => fn () => $lock->resume('k', 'token'),
    'synchronized()' => fn () => $lock->synchronized('k', $section)];
foreach ($calls($refused) as $what => $call) {
    throws("$what refused", 'RedisLockConnectionException', '~refused~i', $call);
}
$fresh = new RedisLock($server->dsn(), persistent: false);
foreach ($calls($fresh) as $what => $call) {
    $thrown = throws("$what without a password", 'RedisLockServerException', '~NOAUTH~', $call);
    same('getErrorCode()', 'NOAUTH', $thrown?->getErrorCode());
}

done();
?>
--EXPECT--
ok
