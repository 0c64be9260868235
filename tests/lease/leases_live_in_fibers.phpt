--TEST--
Leases and sections in Fibers that take turns are each held, and freed when their Fiber is done.
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
for ($n = 0; $n < 10; $n++) {
    $fibers[] = new Fiber(function () use ($lock, $server, $n): string {
        return $lock->synchronized("section$n",
                function (RedisLockLease $section) use ($lock, $server, $n): string {
            $lease = $lock->lease("k$n", 60);
            Fiber::suspend();
            is_whole('the section', $server, $section);
            is_whole('the lease', $server, $lease);
            same('of another Fiber', null, $lock->lease('k' . ($n + 1) % 10));
            Fiber::suspend();
            return $section->key() . $lease->key();
        }, 60);
    });
}
foreach (['start', 'resume', 'resume'] as $i => $step) {
    same('keys', $i === 0 ? 0 : 20, count($server->keys()));
    foreach ($fibers as $fiber) {
        $fiber->$step();
    }
}
same('results', ['section0k0', 'section9k9'], [$fibers[0]->getReturn(), $fibers[9]->getReturn()]);
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
