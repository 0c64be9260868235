--TEST--
fence() throws RedisLockLostException when the lease is not held, whatever it returned before.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_without_fences();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$loss = function (string $what, RedisLockLease $lease, RedisLockLoss $wanted): void {
    $e = throws($what, 'RedisLockLostException', '~^the lock "k" ~', fn () => $lease->fence());
    same("$what: getLoss()", $wanted, $e->getLoss());
    same("$what: loss()", $wanted, $lease->loss());
};

foreach ([false, true] as $is_known) {
    $take = function (float $ttl, mixed ...$more) use ($lock, $server, $is_known) {
        $server->cmd('DEL', 'k');
        $lease = $lock->lease('k', $ttl, 0, ...$more);
        $is_known && $lease->fence();
        return $lease;
    };
    $what = $is_known ? 'known, ' : '';
    $lease = $take(20);
    $lease->release();
    $loss($what . 'released', $lease, RedisLockLoss::Released);
    $lease = $take(20);
    $token = $lease->detach();
    $loss($what . 'detached', $lease, RedisLockLoss::Released);
    $lock->release('k', $token);
    undisturbed(0.02, function () use ($take, $loss, $what): void {
        $ttl = room(0.05);
        $lease = $take($ttl, renew: false);
        usleep((int) (1.2e6 * $ttl));
        $loss($what . 'expired', $lease, RedisLockLoss::Expired);
    });
}

/* The server knows better. */
$last = $server->cmd('GET', 'k::rl-fence');
$calls = [];
$lease = $lock->lease('k', 20, onLoss: function ($lease) use (&$calls) {
    $calls[] = $lease->loss();
});
$server->cmd('DEL', 'k');
same('nobody has told it', true, $lease->isHeld());
$loss('deleted', $lease, RedisLockLoss::Deleted);
same('onLoss', [RedisLockLoss::Deleted], $calls);
$lease = $lock->lease('k', 20);
$server->cmd('SET', 'k', 'another');
$loss('taken over', $lease, RedisLockLoss::TakenOver);
same('it keeps it', 'another', $server->cmd('GET', 'k'));
same('no number was written', $last, $server->cmd('GET', 'k::rl-fence'));

/* An exception of onLoss goes out of fence(). */
$server->cmd('DEL', 'k');
$lease = $lock->lease('k', 20, onLoss: fn () => throw new DomainException('mine'));
$server->cmd('DEL', 'k');
throws('onLoss throws', 'DomainException', '~^mine$~', fn () => $lease->fence());

done();
?>
--EXPECT--
ok
