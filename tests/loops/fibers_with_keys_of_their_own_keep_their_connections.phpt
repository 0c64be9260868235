--TEST--
Fifty Fibers that take locks of their own side by side make no new connection for each.
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
require __DIR__ . '/../inc/loop.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
RedisLock::waitWith(Loop::wait(...));
$sections = 0;
for ($i = 0; $i < 50; $i++) {
    Loop::spawn(function () use ($lock, $i, &$sections): void {
        for ($j = 0; $j < 20; $j++) {
            $lock->synchronized("own $i", function () use (&$sections): void {
                $sections++;
                Loop::sleep(0.001);
            }, 60, 60);
        }
    });
}
Loop::run();
same('sections', 1000, $sections);
between('connects', 1, 100, RedisLock::stats()['connects']);
same('no key is left', [], $server->keys());

done();
?>
--EXPECT--
ok
