--TEST--
Waiters that stand still, at any place in the queue, do not delay the live waiter after them.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$token = hold($server, 'k');
$stopped = [];
for ($i = 0; $i < 4; $i++) {
    $stopped[] = waiter($server->dsn(), 'k', ['ttl' => 2.0, 'wait' => 30.0],
        then: fn (RedisLock $lock, string $token) => $lock->release('k', $token));
    queued($server, $i + 1);
}
foreach ($stopped as $waiter) {
    $waiter->signal(SIGSTOP);
}
usleep(3000000); // their marks are void
$live = waiter($server->dsn(), 'k', ['wait' => 30.0]);
queued($server, 5);
$watch = new Stopwatch();
$released = now();
same('release()', true, $lock->release('k', $token));
$result = $live->result();
matches('the live waiter has it', TOKEN, (string) $result['token']);
$watch->within('after', slack(0.5), 0.0, $result['at'] - $released);
same('release() of the live waiter', true, $lock->release('k', $result['token']));

/* When they go on, they find out, and wait on. */
foreach ($stopped as $waiter) {
    $waiter->signal(SIGCONT);
}
foreach ($stopped as $waiter) {
    $result = $waiter->result();
    matches('a waiter that goes on has it in its turn', TOKEN, (string) $result['token']);
    same('its release()', true, $result['then']);
}
eventually('helper keys are gone', fn () => $server->cmd('DBSIZE') === 0, 3.5);

done();
?>
--EXPECT--
ok
