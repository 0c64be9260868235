--TEST--
The users of docs/rights.md can do all they need on a cluster, during a move, and behind Sentinels.
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
require __DIR__ . '/../inc/sentinel.inc';
require __DIR__ . '/../inc/waiter.inc';

$docs = file_get_contents(__DIR__ . '/../../docs/rights.md');
preg_match_all('~^    ACL SETUSER (\w+) on >(\w+) (\S.*)$~m', $docs, $m);
same('a node, a server, a Sentinel, a Sentinel asked for failover_grace',
    ['locker', 'locker', 'asker', 'asker'], $m[1]);
[$node, $server, $sentinel, $grace] = array_map(fn (string $rules) => ['resetchannels', '-@all',
    ...explode(' ', $rules)], $m[3]);

/* Every kind of call, and a waiter that is woken. */
function use_all(RedisLock $lock, string $dsn, string $key, callable $blocked): void
{
    $token = $lock->acquire($key, 30);
    matches("$key: acquire()", TOKEN, (string) $token);
    same("$key: extend()", true, $lock->extend($key, $token, 60));
    same("$key: isLocked()", true, $lock->isLocked($key));
    same("$key: owner()", $token, $lock->owner($key));
    check("$key: remaining()", $lock->remaining($key) > 0);
    $waiter = waiter($dsn, $key, options: ['prefix' => 'lock:'],
        then: fn (RedisLock $lock, string $token) => $lock->release($key, $token));
    eventually("$key: it waits", fn () => $blocked() === 1);
    same("$key: release()", true, $lock->release($key, $token));
    $result = $waiter->result();
    same("$key: it was woken", [1, 0, true], [$result['stats']['wake_ups'],
        $result['stats']['wake_failures'], $result['then']]);
    $before = RedisLock::stats()['renewed'];
    $lease = $lock->lease($key, room(0.6));
    eventually("$key: it is renewed", fn () => RedisLock::stats()['renewed'] > $before);
    check("$key: fence()", !HAS_FENCES || $lease->fence() > 0);
    same("$key: release() of the lease", true, $lease->release());
}

$cluster = start_cluster();
foreach ($cluster->masters() as $i) {
    $cluster->ask($i, 'ACL', 'SETUSER', 'locker', 'on', '>pw', ...$node);
}
$dsn = $cluster->dsn(credentials: 'locker:pw');
$lock = new RedisLock($dsn, 'lock:');
foreach ($cluster->masters() as $i) {
    $key = substr($cluster->keyOf($i, 'lock:k'), strlen('lock:'));
    use_all($lock, $dsn, $key,
        fn () => (int) $cluster->client()->info('clients')['blocked_clients']);
}
$key = substr($cluster->keyOf(0, 'lock:k'), strlen('lock:'));
$cluster->beginMove("lock:$key", 0, 1);
same('a section during a move', 7, $lock->synchronized($key, fn () => 7));
$denied = fn () => array_sum(array_map(fn (int $i) => count($cluster->ask($i, 'ACL', 'LOG')),
    $cluster->masters()));
same('nothing was denied', 0, $denied());

/* The message names the right that only moves need. */
$cluster->ask(1, 'ACL', 'SETUSER', 'locker', '-asking');
throws('without ASKING', 'RedisLockConnectionException',
    '~redirected too often \(is a node down, or the user not allowed to send ASKING\?\); the last '
    . 'node, rediss?://127\.0\.0\.1:\d+, answered: (ASK|MOVED) \d+ 127\.0\.0\.1:\d+~',
    fn () => $lock->acquire($key));

$sentinels = start_sentinels();
foreach ($sentinels->servers as $each) {
    $each->cmd('ACL', 'SETUSER', 'locker', 'on', '>pw', ...$server);
}
foreach ($sentinels->sentinels as $each) {
    $each->cmd('ACL', 'SETUSER', 'asker', 'on', '>pw2', ...$sentinel);
    $each->cmd('ACL', 'SETUSER', 'patient', 'on', '>pw3', ...$grace);
}
$dsn = $sentinels->dsn('?sentinel_user=asker&sentinel_password=pw2', 'locker:pw');
use_all(new RedisLock($dsn, 'lock:'), $dsn, 'k',
    fn () => (int) $sentinels->primaryServer()->client()->info('clients')['blocked_clients']);
$lock = new RedisLock($sentinels->dsn(
    '?sentinel_user=patient&sentinel_password=pw3&failover_grace=2.5', 'locker:pw'), 'lock:');
matches('with failover_grace', TOKEN, (string) $lock->acquire('k', 1, slack(10.0)));
foreach ([...$sentinels->servers, ...$sentinels->sentinels] as $i => $each) {
    same("nothing was denied at $i", 0, count($each->cmd('ACL', 'LOG')));
}

done();
?>
--EXPECT--
ok
