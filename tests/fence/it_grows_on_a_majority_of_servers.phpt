--TEST--
On several servers the number is written to a majority, so it grows whichever majority answers.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_without_fences();
skip_by_topology('it starts members of its own');
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';
require __DIR__ . '/../inc/members.inc';

$all = start_members(3);
$lock = $all->lock(timeout: slack(0.3), connectTimeout: slack(0.3));
$stored = fn (int $i) => (int) $all->servers[$i]->cmd('GET', 'k::rl-fence');

/* One member is an hour ahead: its number has to reach a majority. Then it dies. */
for ($ahead = 0; $ahead < 3; $ahead++) {
    $far = (int) (microtime(true) * 1e6) + ($ahead + 1) * 3600 * 1000000;
    $others = array_values(array_diff([0, 1, 2], [$ahead]));
    $all->servers[$ahead]->cmd('SET', 'k::rl-fence', $far);
    $all->kill($others[0]);
    $lease = $lock->lease('k', 20);
    $number = $lease->fence();
    same("$ahead: the greatest counts", $far + 1, $number);
    same("$ahead: another member has it", $number, $stored($others[1]));
    without_traffic("$ahead: again", $all->servers[$ahead],
        fn () => same("$ahead: again", $number, $lease->fence()));
    same("$ahead: release()", true, $lease->release());
    $all->start($others[0]);
    $all->kill($ahead);
    $lease = $lock->lease('k', 20, wait: slack(5.0));
    $next = $lease->fence();
    check("$ahead: the next holder", $next > $number, [$next, $number]);
    same("$ahead: release()", true, $lease->release());
    $all->start($ahead);
}

/* A minority that has the token is too few, and the members of the other holder are not written. */
array_map(fn ($server) => $server->cmd('FLUSHALL'), $all->servers);
$lease = $lock->lease('k', 20, wait: slack(5.0));
eventually('all have it', fn () => $all->servers[0]->cmd('GET', 'k') === $lease->token()
    && $all->servers[1]->cmd('GET', 'k') === $lease->token());
$all->occupy('k', 'another', 0, 1);
same('nobody has told it', true, $lease->isHeld());
$e = throws('a minority', 'RedisLockLostException', '~taken it over~', fn () => $lease->fence());
same('getLoss()', RedisLockLoss::TakenOver, $e->getLoss());
same('not written', [0, 0], [$stored(0), $stored(1)]);

/* A majority that cannot be asked is a failure, not a loss. */
array_map(fn ($server) => $server->cmd('FLUSHALL'), $all->servers);
$lease = $lock->lease('k', 60, wait: slack(5.0));
$all->kill(0, 1);
$e = throws('no majority', 'RedisLockConnectionException', '~no quorum \(2 of 3 servers failed~',
    fn () => $lease->fence());
same('reasons', 2, count($e->getReasons()));
same('held', true, $lease->isHeld());

done();
?>
--EXPECT--
ok
