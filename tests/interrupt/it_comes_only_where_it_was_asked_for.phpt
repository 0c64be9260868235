--TEST--
Without interrupt: true nothing is ever thrown; with it, also where the lease is not renewed, at the end of its time.
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

/* Not asked for. */
$leases = [$lock->lease('a', 0.3), $lock->lease('b', 0.3, renew: false), $lock->lease('c', 0.3, interrupt: false)];
$server->cmd('DEL', 'a', 'b', 'c');
same('interrupt: false', 'it was not stopped', compute(0.5));
same('they are lost', [false, false, false], array_map(fn ($lease) => $lease->isHeld(), $leases));
same('a section', 5, $lock->synchronized('d', fn () => compute(0.1) === '' ? 0 : 5, 0.3));

/* Beside one that is interrupted, they are not thrown for it. */
$watched = watched_lease($lock);
$server->cmd('DEL', 'k');
interrupted('the one that asked', fn () => compute(5.0));
same('nothing behind it', 'it was not stopped', compute(0.1));
unset($watched, $leases);

/* renew: false: nobody asks the server, so it comes by the clock. */
$start = now();
$before = renewed();
$lease = $lock->lease('k', 0.5, renew: false, interrupt: true);
$server->cmd('DEL', 'k');
interrupted('without renewal', fn () => compute(5.0), 0.5);
between('by the clock', 0.45, slack(1.0), now() - $start);
same('renewals', 0, renewed() - $before);
unset($lease);

/* It ends in time: nothing. extend() moves the end. */
$lease = $lock->lease('k', 0.4, renew: false, interrupt: true);
same('released in time', [true, 'it was not stopped'], [$lease->release(), compute(0.5)]);
$lease = $lock->lease('k', 0.4, renew: false, interrupt: true);
same('extend()', true, $lease->extend(0.8));
same('after the first TTL', 'it was not stopped', compute(0.5));
interrupted('at the new end', fn () => compute(5.0), 0.4);
unset($lease);

/* verify() and extend() that find the lease lost say so; the interrupt comes behind them. */
foreach (['verify()' => fn ($lease) => $lease->verify(), 'extend()' => fn ($lease) => $lease->extend(10)] as $what => $ask) {
    $lease = $lock->lease('k', 60, interrupt: true);
    $server->cmd('DEL', 'k');
    interrupted($what, function () use ($lease, $ask, $what): void {
        same($what, false, $ask($lease));
        compute(5.0);
    });
    unset($lease);
}

/* resume(). */
$lease = $lock->resume('k', $lock->acquire('k'), 0.3, interrupt: true);
$server->cmd('DEL', 'k');
interrupted('resume()', fn () => compute(5.0));
unset($lease);

done();
?>
--EXPECT--
ok
