--TEST--
A lock whose holder was killed is taken as soon as its TTL is over, also with more waiters in the queue.
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
$ttl = room(0.7);
$holder = in_fork(function () use ($server, $ttl): void {
    $lock = new RedisLock($server->dsn());
    $server->newClient()->cmd('SET', 'held since', (string) now());
    same('acquire()', true, $lock->acquire('k', $ttl) !== null);
    sleep(60);
});
eventually('it is held', fn () => $server->cmd('EXISTS', 'k') === 1);
$waiters = [];
for ($n = 1; $n <= 3; $n++) {
    $waiters[] = waiter($server->dsn(), 'k',
        then: fn ($lock, $token) => $lock->release('k', $token));
    queued($server, $n);
}
send_signal($holder, SIGKILL);
pcntl_waitpid($holder, $status);
OwnProcesses::remove($holder);
$end = (float) $server->cmd('GET', 'held since') + $ttl;
$last = $end;
foreach ($waiters as $n => $waiter) {
    $result = $waiter->result();
    matches('token', TOKEN, (string) $result['token']);
    same('released', true, $result['then']);
    check('in its turn', $result['at'] >= $last, $result['at'] - $last);
    check('soon', $result['at'] - $end < slack(0.3), $result['at'] - $end);
    $last = $result['at'];
}
$server->cmd('DEL', 'held since');
same('keys', [], $server->locks());

done();
?>
--EXPECT--
ok
