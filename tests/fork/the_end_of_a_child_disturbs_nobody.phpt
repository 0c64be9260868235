--TEST--
A child that ends, or closes and frees inherited objects, affects neither the parent's connection nor its lock.
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

$server = start_server(tcp: true);
$locks = [new RedisLock($server->dsn()), new RedisLock($server->tcpDsn()),
    new RedisLock($server->dsn(), persistent: false)];
foreach ($locks as $i => $lock) {
    $tokens[$i] = $lock->acquire("k$i", 60);
}
$connects = RedisLock::stats()['connects'];
foreach ([fn () => null, fn () => array_map(fn ($lock) => $lock->close(), $locks),
        function () use (&$locks): void {
    $locks = [];
    gc_collect_cycles();
}, fn () => exit(0)] as $body) {
    reap(in_fork($body));
    foreach ($locks as $i => $lock) {
        same("lock $i", $tokens[$i], $lock->owner("k$i"));
    }
}
same('no new connection', 0, RedisLock::stats()['connects'] - $connects);
foreach ($locks as $i => $lock) {
    same("release() $i", true, $lock->release("k$i", $tokens[$i]));
}

done();
?>
--EXPECT--
ok
