--TEST--
A lock that was granted, extended or taken over is on the replicas when the call returns.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require_once __DIR__ . '/../inc/replicas.inc';
require_once __DIR__ . '/../inc/waiter.inc';

$rounds = 1000;
$all = start_replicated(2);
/* The replicas confirm within a millisecond, or as soon as a busy machine lets them run. */
$servers = $all->dsn(rest: '&timeout=5&replicas_timeout=1.4');
$lock = new RedisLock($servers);
$there = 0;
for ($i = 0; $i < $rounds; $i++) {
    $token = $lock->acquire("k$i", 30);
    foreach ($all->replicas as $replica) {
        $there += (int) ($token !== null && $replica->cmd('GET', "k$i") === $token);
    }
    $lock->release("k$i", $token);
}
same('each is on both replicas', 2 * $rounds, $there);

$replica = $all->replicas[0];
$token = $lock->acquire('own', 30, token: 'my-token');
same('an own token', 'my-token', $replica->cmd('GET', 'own'));
same('extend()', true, $lock->extend('own', $token, 60));
between('its TTL', 50000, 60000, $replica->cmd('PTTL', 'own'));
same('extend() to less', true, $lock->extend('own', $token, 20));
between('its TTL', 10000, 20000, $replica->cmd('PTTL', 'own'));
$lease = $lock->resume('own', $token, 30);
same('resume()', $lease->token(), $replica->cmd('GET', 'own'));
HAS_FENCES && same('fence()', (string) $lease->fence(), $replica->cmd('GET', 'own::rl-fence'));
same('release()', true, $lease->release());

/* A wait that is woken, with a drawn token and with one of its own. */
foreach ([[], ['token' => 'my-token']] as $i => $arguments) {
    $held = $lock->acquire('woken', 30);
    $waiter = waiter($servers, 'woken', ['wait' => 20] + $arguments,
        then: fn ($lock, $token) => $replica->newClient()->cmd('GET', 'woken'));
    queued($all->primary, 1);
    $lock->release('woken', $held);
    $result = $waiter->result();
    same("woken, $i", $result['token'], $result['then']);
    $stats = $result['stats'];
    same("woken, $i: stats", [1, 0], [$stats['wake_ups'], $stats['unconfirmed']]);
    $lock->release('woken', $result['token']);
}
same('stats', 0, RedisLock::stats()['unconfirmed']);

done();
?>
--EXPECT--
ok
