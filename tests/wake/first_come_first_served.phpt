--TEST--
Waiters that queue one after the other get the lock in this order, round after round.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
for ($round = 1; $round <= 5; $round++) {
    $token = hold($server, 'k');
    $waiters = [];
    foreach (['first', 'second', 'third', 'fourth'] as $n => $name) {
        $waiters[] = waiter($server->dsn(), 'k',
                then: function ($lock, $token) use ($server, $name): void {
            $server->newClient()->cmd('RPUSH', 'order', $name);
            usleep(5000);
            same('release()', true, $lock->release('k', $token));
        });
        queued($server, $n + 1);
    }
    same('release()', true, (new RedisLock($server->dsn()))->release('k', $token));
    foreach ($waiters as $waiter) {
        woken("round $round", $waiter->result());
    }
    same("order of round $round", ['first', 'second', 'third', 'fourth'],
        $server->cmd('LRANGE', 'order', 0, -1));
    $server->cmd('DEL', 'order');
    same('keys', [], $server->keys());
}

done();
?>
--EXPECT--
ok
