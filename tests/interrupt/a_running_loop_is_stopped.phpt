--TEST--
With interrupt: true a running loop is stopped by RedisLockLostException within a third of the TTL, or at the end of the proof.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());

/* Deleted before the loop, and in the midst of it by somebody else; taken over. */
$lease = watched_lease($lock);
$server->cmd('DEL', 'k');
interrupted('deleted', fn () => compute(5.0));
same('isHeld()', false, $lease->isHeld());
unset($lease);
foreach (['deleted by another process' => fn ($client) => $client->cmd('DEL', 'k'), 'taken over by another process' => fn ($client) => $client->cmd('SET', 'k', 'x', 'PX', 200)] as $what => $call) {
    $lease = watched_lease($lock);
    $at = now() + 0.4;
    $other = in_fork(function () use ($server, $call, $at): void {
        usleep((int) (max(0.0, $at - now()) * 1e6));
        $call($server->newClient());
    });
    interrupted($what, fn () => compute(5.0), 0.5);
    check("$what: not before", now() >= $at);
    reap($other);
    unset($lease);
    eventually('free again', fn () => $server->keys() === []);
}

/* By the clock. */
$lease = watched_lease($lock, ttl: 0.6);
renewals_go_on('at first');
$server->pause();
$deadline = now() + $lease->remaining();
interrupted('the server is gone', fn () => compute(5.0), 0.6);
check('not before the deadline', now() >= $deadline - 0.001);
$server->resume();
unset($lease);

/* Loops that call nothing, in a process that can be killed if they do not end. */
foreach (['while (true) {}', 'for ($i = 0; ; $i++) {}', 'do { $x = 1; } while ($x);', 'a: goto a;', 'foreach (new InfiniteIterator(new ArrayIterator([1])) as $x) {}'] as $loop) {
    $child = start_php('
        $lease = (new RedisLock($argv[1]))->lease("k", 0.3, interrupt: true);
        echo "ready\n";
        try {
            ' . $loop . '
        } catch (RedisLockLostException) {
            echo "stopped";
        }', [$server->dsn()]);
    $child->expect('~ready~');
    $server->cmd('DEL', 'k');
    same($loop, "ready\nstopped", $child->output(10.0));
}

done();
?>
--EXPECT--
ok
