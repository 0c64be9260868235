--TEST--
Fibers that share an object wait one after the other, each in a queue of its own, and are woken.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_by_topology('the test counts the connections to one server');
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$tokens = ['a' => hold($server, 'a'), 'b' => hold($server, 'b')];
$releases = in_fork(function () use ($server, $tokens): void {
    foreach ($tokens as $key => $token) {
        queued($server, 1);
        same('release()', true, (new RedisLock($server->dsn()))->release($key, $token));
        eventually('it is taken',
            fn () => !in_array($server->cmd('GET', $key), ['', $token], true));
    }
});
$work = function (string $key) use ($lock): string {
    Fiber::suspend();
    $token = $lock->acquire($key, 60, 20);
    Fiber::suspend();
    same('release()', true, $lock->release($key, $token));
    return $token;
};
$before = RedisLock::stats();
$fibers = [new Fiber($work), new Fiber($work)];
foreach (['a', 'b'] as $n => $key) {
    $fibers[$n]->start($key);
}
for ($step = 0; $step < 2; $step++) {
    foreach ($fibers as $fiber) {
        $fiber->resume();
    }
}
foreach ($fibers as $fiber) {
    matches('token', TOKEN, $fiber->getReturn());
}
reap($releases);
same('woken', 2, RedisLock::stats()['wake_ups'] - $before['wake_ups']);
same('a connection, and one for the queue', 2,
    RedisLock::stats()['connects'] - $before['connects']);
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
