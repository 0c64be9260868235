--TEST--
Fibers that take turns use one object.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_on_cluster('the test counts the connections to one server');
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$fibers = [];
for ($n = 0; $n < 10; $n++) {
    $fibers[] = new Fiber(function () use ($lock, $n): string {
        $token = $lock->acquire("k$n");
        Fiber::suspend();
        same('acquire()', null, $lock->acquire('k' . ($n + 1) % 10, wait: 0.01));
        Fiber::suspend();
        same('release()', true, $lock->release("k$n", $token));
        return $token;
    });
}
foreach (['start', 'resume', 'resume'] as $step) {
    foreach ($fibers as $fiber) {
        $fiber->$step();
    }
}
same('tokens', 10, count(array_unique(array_map(fn ($fiber) => $fiber->getReturn(), $fibers))));
same('keys', [], $server->keys());
same('one connection', 1, count($server->client()->clients()));

done();
?>
--EXPECT--
ok
