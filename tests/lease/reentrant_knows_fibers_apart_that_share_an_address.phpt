--TEST--
A Fiber with the address of a destroyed Fiber cannot enter the lock of that Fiber.
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

$server = start_server();
$lock = new RedisLock($server->dsn(), reentrant: true);
$kept = null;
$first = new Fiber(function () use ($lock, &$kept): void {
    $kept = $lock->lease('k');
});
$first->start();
unset($first);
same('its lease lives on', true, $kept->isHeld());
for ($i = 0; $i < 5; $i++) {
    $fiber = new Fiber(fn () => $lock->lease('k'));
    $fiber->start();
    same("Fiber $i", null, $fiber->getReturn());
    unset($fiber);
}
same('release()', true, $kept->release());

done();
?>
--EXPECT--
ok
