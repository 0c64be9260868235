--TEST--
Slots that cannot be, and what a slot cannot do, are clear errors.
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

require __DIR__ . '/../inc/fake_server.inc';

$lock = new RedisLock('unix:///nowhere.sock');
foreach ([0, -1, 65, PHP_INT_MAX] as $slots) {
    throws("slots: $slots", 'ValueError', '~Argument #9 \(\$slots\) must be between 1 and 64~',
        fn () => $lock->lease('k', slots: $slots));
    throws("slots: $slots, synchronized()", 'ValueError', '~\(\$slots\) must be between 1 and 64~',
        fn () => $lock->synchronized('k', fn () => 1, slots: $slots));
}
throws('a list', 'ValueError', '~\(\$slots\) must be 1 for an array of keys~',
    fn () => $lock->lease(['a', 'b'], slots: 2));
throws('a token', 'ValueError', '~\(\$slots\) must be 1 with a token of your own~',
    fn () => $lock->lease('a', token: 't', slots: 2));
throws('several servers', 'ValueError', '~\(\$slots\) must be 1 with several servers~',
    fn () => (new RedisLock(['unix:///a.sock', 'unix:///b.sock', 'unix:///c.sock']))
        ->lease('a', slots: 2));
throws('no hash slot', 'ValueError', '~Argument #1 \(\$key\) can have no slots~',
    fn () => (new RedisLock('redis-cluster://127.0.0.1:1'))->lease('a}', slots: 2));

$server = start_server();
$lock = new RedisLock($server->dsn());
$lease = $lock->lease('k', slots: 2);
throws('fence()', 'RedisLockException', '~"k" can have no fencing number: its slots~',
    fn () => $lease->fence());
throws('detach()', 'RedisLockException', '~"k" cannot be detached~', fn () => $lease->detach());
check('still held', $lease->verify());
unset($lease);

/* One slot is the lock of today, byte for byte. */
$commands = [];
foreach ([[], ['slots' => 1]] as $arguments) {
    $proxy = fake_server([], $server);
    $one = new RedisLock($proxy->dsn());
    $one->lease('one', 30, 0.0, ...$arguments)->release();
    $commands[] = array_map(fn ($command) => array_map(
        fn ($argument) => str_starts_with($argument, 'rl1.') ? 'token' : $argument,
        (array) $command['args']), $proxy->commands());
}
same('the commands of one slot', $commands[0], $commands[1]);

done();
?>
--EXPECT--
ok
