--TEST--
SIGTERM at any moment ends the worker within 0.4 s, without a hang and without a key that stays.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_under_valgrind(); /* a process that is killed frees nothing */
skip_without_sigterm();
?>
--FILE--
<?php
require __DIR__ . '/../inc/sigterm.inc';

$rounds = rounds(25, 1000);
$server = start_server();
$works = [
    /* The keys are free, also when it comes while PHP's thread has the watchdog's mutex. */
    'calls' => 'echo "ready\n"; while (true) { for ($i = 0; $i < 100; $i++); }',
    'waits' => 'echo "ready\n"; while (true) { $ignored = $lock->lease("other", 60, 0.01); }',
    'wins' =>
        'echo "ready\n"; while (true) { $l = $lock->lease("mine" . getmypid(), 60, 1); $l->release(); }',
    'sections' =>
        'echo "ready\n"; while (true) { $lock->synchronized("mine" . getmypid(), fn () => 1, 60, 1); }',
    'renewals' => 'echo "ready\n"; while (true) { $lease->extend(60); }',
    /* Inside malloc the outcome is open, but the worker ends. */
    'allocations of libc' => 'echo "ready\n";
        while (true) {
            $o = [];
            for ($i = 0; $i < 20; $i++) {
                $o[] = new RedisLock(["redis://a$i", "redis://b", "redis://c"]);
            }
        }',
    'allocations' => 'echo "ready\n";
        while (true) {
            $o = [];
            for ($i = 0; $i < 500; $i++) {
                $o[] = str_repeat("x", random_int(1, 400000));
            }
        }',
];
$server->cmd('SET', 'other', 'theirs');
$unfreed = 0;
for ($round = 0; $round < $rounds; $round++) {
    $what = array_keys($works)[$round % count($works)];
    $worker = start_worker($server, $works[$what]);
    $worker->expect('~ready~');
    usleep(random_int(0, 20_000));
    $took = seconds_to_end($worker);
    same("$what: status", -SIGTERM, $worker->status());
    between("$what: its end", 0, 0.4 + slack(1.6), $took);
    $left = array_values(array_diff($server->locks(), ['0:other']));
    if ($left !== [] && !str_contains($what, 'allocations')) {
        $unfreed++;
        check("$what: round $round: keys stay only when the whole time was over", $took >= 0.24,
            [$left, $took]);
    }
    $server->cmd('DEL', ...['k', ...array_map(fn ($key) => substr($key, 2), $left)]);
}
/* On a busy machine the time may be over for once. */
check('no key stayed', $unfreed <= (crowding() > 2 ? 1 + $rounds / 100 : 0), $unfreed);

done();
?>
--EXPECT--
ok
