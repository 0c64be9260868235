--TEST--
exit in the waiter, while the lock of a section that has thrown is released, ends the script without a message.
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
$held = $lock->lease('other', 60); // connects
$lock->synchronized('k', function () use ($server): void {
    $server->cmd('CLIENT', 'PAUSE', '50'); // so that no answer comes at once
    RedisLock::waitWith(function (): void {
        echo "ok\n";
        exit(0);
    });
    throw new LogicException('the job has failed');
}, 60);
?>
--EXPECT--
ok
