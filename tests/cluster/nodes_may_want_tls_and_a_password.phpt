--TEST--
A cluster that wants TLS and a password is reached, also at nodes that redirects name.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/cluster.inc';
require __DIR__ . '/../inc/tls.inc';
skip_without_cluster();
skip_without_tls();
?>
--FILE--
<?php
require __DIR__ . '/../inc/cluster.inc';
require __DIR__ . '/../inc/tls.inc';

by_tls();
$cluster = start_cluster(config: ['requirepass' => 'secret']);
$lock = new RedisLock($cluster->dsn(credentials: ':secret', seeds: [0]));
foreach ($cluster->masters() as $node) {
    $key = $cluster->keyOf($node);
    $token = $lock->acquire($key, 30);
    same("$node: its node has it", $token, $cluster->ask($node, 'GET', $key));
    same("$node: release()", true, $lock->release($key, (string) $token));
}
$key = $cluster->keyOf(0);
$lease = $lock->lease($key, 30);
$cluster->move($key, 1);
same('moved', true, $lease->verify());
same('released', true, $lease->release());
throws('without the password', 'RedisLockServerException', '~NOAUTH~',
    fn () => (new RedisLock($cluster->dsn()))->acquire('k'));
throws('without TLS', 'RedisLockConnectionException', '~TLS~', fn () => (new RedisLock(
    str_replace('rediss', 'redis', preg_replace('~\?.*~', '', $cluster->dsn()))))->acquire('k'));

done();
?>
--EXPECT--
ok
