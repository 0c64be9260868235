--TEST--
A waiter whose slot moves waits on at the new node, and is woken there.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/cluster.inc';
skip_without_cluster();
?>
--FILE--
<?php
require __DIR__ . '/../inc/cluster.inc';
require __DIR__ . '/../inc/waiter.inc';

$cluster = start_cluster();
$lock = new RedisLock($cluster->dsn(), timeout: room(1.0), connectTimeout: room(1.0));
$queued = fn (int $node): bool => (int) $cluster->nodes[$node]->client()
    ->info('clients')['blocked_clients'] === 1;

/* Where it stalls it may look at the key in the midst of a move. */
$round = 0;
undisturbed(0.1, function () use ($cluster, $lock, $queued, &$round): void {
    $key = $cluster->keyOf(0, 'round' . ++$round);
    $token = $lock->acquire($key, 60);
    $waiter = waiter($cluster->dsn(), $key, ['ttl' => 30, 'wait' => slack(20.0)]);
    eventually('it waits at the first node', fn () => $queued(0), 10.0);
    $cluster->move($key, 1);
    eventually('it waits at the second node', fn () => $queued(1), 10.0);
    $cluster->move($key, 2);
    eventually('it waits at the third node', fn () => $queued(2), 10.0);
    $watch = new Stopwatch();
    $at = now();
    same('release()', true, $lock->release($key, $token));
    $result = $waiter->result();
    matches('it gets the lock', TOKEN, (string) $result['token']);
    $watch->within('at once', slack(0.2), 0, $result['at'] - $at);
    same('it was woken', 1, $result['stats']['wake_ups']);
    same('it did not poll', 0, $result['stats']['wake_failures']);
    same('the third node has it', $result['token'], $cluster->ask(2, 'GET', $key));
    same('freed', true, $lock->release($key, $result['token']));
});

/* During an open move a release cannot wake, because the keys may be at both ends: the waiter looks
 * after a second. */
$key = $cluster->keyOf(1);
$token = $lock->acquire($key, 60);
$waiter = waiter($cluster->dsn(), $key, ['ttl' => 30, 'wait' => slack(20.0)]);
eventually('it waits at the source', fn () => $queued(1), 10.0);
$cluster->beginMove($key, 1, 0);
$watch = new Stopwatch();
$at = now();
same('release() during a move', true, $lock->release($key, $token));
$result = $waiter->result();
matches('it gets the lock, too', TOKEN, (string) $result['token']);
$watch->within('by a look at the latest', slack(1.5), 0, $result['at'] - $at);
same('freed during a move', true, $lock->release($key, $result['token']));
$cluster->endMove($key, 1, 0);
same('nothing is left', [], $cluster->locks());

done();
?>
--EXPECT--
ok
