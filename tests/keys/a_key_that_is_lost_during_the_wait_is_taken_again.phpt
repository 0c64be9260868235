--TEST--
If a key is lost while the call waits for another one, the call frees its keys and begins again; onLoss is not called.
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
$server->cmd('SET', 'b', 'somebody', 'PX', 60000);
$waiter = start_php('$lock = new RedisLock($argv[1]);
    $lease = $lock->lease(["a", "b"], 10, 60, onLoss: function () { echo "lost\n"; });
    echo $lease->isHeld() ? "held" : "not held", ", {$lease->attempts()} attempts\n";
    fgets(STDIN);', [$server->dsn()]);
eventually('it holds the first key', fn () => $server->cmd('EXISTS', 'a') === 1, 10.0);
$first = $server->cmd('GET', 'a');
$server->cmd('SET', 'a', 'another', 'PX', 60000);
eventually('it waits', fn () => $server->cmd('EXISTS', 'b::rl-wait') === 1, 10.0);
/* It learns of the loss by the next renewal. */
usleep((int) (room(3.6) * 1e6));
$server->cmd('DEL', 'b');
eventually('it gives the second key back', fn () => $server->cmd('EXISTS', 'a') === 1
    && $server->cmd('GET', 'a') === 'another' && $server->cmd('EXISTS', 'b') === 0, 10.0);
$server->cmd('DEL', 'a');
matches('it holds both', '~^held, \d+ attempts\n$~', $waiter->expect('~\n~', 15.0));
check('the first key has a new token',
    !in_array($server->cmd('GET', 'a'), [$first, 'another'], true));
$waiter->tell('end');
same('status', 0, $waiter->status());
same('keys', [], $server->locks());

done();
?>
--EXPECT--
ok
