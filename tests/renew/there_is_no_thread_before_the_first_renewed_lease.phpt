--TEST--
Only the first lease that is renewed or watched starts a thread, and the process ends as fast as before.
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
$taken = $lock->acquire('taken', 60);

/* Without: tokens, leases that are not renewed, what is refused before the server is asked. */
$lock->release('a', $lock->acquire('a'));
$ignored = $lock->acquire('taken', wait: 0.05);
$lease = $lock->lease('a', renew: false);
$lease->release();
$lock->synchronized('a', fn () => 1, renew: false);
$taken = $lock->resume('taken', $taken, 60, renew: false)->detach();
foreach ([['', 30.0], ['a', 0.0], ['a', 30.0, -1.0], ['a', 30.0, 0.0, true, 0.0],
        ['a', 30.0, 0.0, true, NAN]] as $args) {
    throws('bad arguments', 'ValueError', '~Argument~', fn () => $lock->lease(...$args));
}
throws('a bad section', 'TypeError', '~Argument~', fn () => $lock->synchronized('a', 'nothing'));
same('threads without a renewed lease', 1, threads());

/* With: one for all of them, and for the rest of the process. */
$lease = $lock->lease('a');
same('threads with one', 2, threads());
$other = start_server(tcp: true);
$more = [$lock->lease('b', room(0.3)), (new RedisLock($other->dsn()))->lease('b'),
    (new RedisLock($other->tcpDsn()))->lease('c', onLoss: stop(...)),
    $lock->resume('taken', $taken)];
renewals_go_on('with five');
same('threads with five', 2, threads());
unset($lease, $more);
$lock->synchronized('a', fn () => same('threads in a section', 2, threads()));
same('threads afterwards', 2, threads());
same('keys', [[], []], [$server->keys(), $other->keys()]);

/* An onLoss also needs the thread. */
same('renew: false, onLoss', '1, 2', run_php('
    $lock = new RedisLock($argv[1]);
    echo count(glob("/proc/self/task/*"));
    $lease = $lock->lease("a", renew: false, onLoss: fn () => 1);
    echo ", ", count(glob("/proc/self/task/*"));', [$server->dsn()]));

/* The end: with leases, without, with a renewal that gets no answer, with a server that is gone. */
$ends = ['with a lease' => '', 'released' => '$lease->release();',
    'after a fatal error' => 'trigger_error("x", E_USER_ERROR);',
    'on a server that hangs' => '', 'on a server that is gone' => ''];
$unit = room(1.0);
foreach ($ends as $what => $code) {
    $child =
        start_and_stop_at('$lease = (new RedisLock($argv[1]))->lease("end", 0.6 * $argv[2]);
            usleep((int) (250000 * $argv[2]));', $code, [$other->dsn(), $unit]);
    str_contains($what, 'hangs') && $other->pause();
    str_contains($what, 'gone') && $other->kill();
    str_contains($what, 'server') && usleep((int) (250000 * $unit));
    $took = elapsed(function () use ($child): void {
        $child->tell('go');
        $child->output();
    });
    str_contains($what, 'hangs') && $other->resume();
    between("the end $what", 0, slack(1.0), $took);
}

done();
?>
--EXPECT--
ok
