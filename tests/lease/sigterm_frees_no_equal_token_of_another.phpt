--TEST--
SIGTERM to a worker that is releasing its lease does not free the lock of the next holder with the same token.
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

const WORKERS = 6;

$server = start_server();
$seconds = room(rounds(2, 4));
$log = "$server->folder/sections";
touch($log);
/* A worker notes from when to when it held the lock for certain. A worker that was ended in a
 * section notes nothing. */
$work = '$lock = new RedisLock($argv[1]);
    while (true) {
        $lease = $lock->lease("k", (float) $argv[3], 5, token: "the same for all");
        if ($lease === null) {
            continue;
        }
        $from = hrtime(true);
        $was = $lease->isHeld();
        usleep(random_int(0, 3000));
        $to = hrtime(true);
        if ($was && $lease->isHeld()) {
            file_put_contents($argv[2], "$from $to\n", FILE_APPEND);
        }
        $lease->release();
    }';
$start = fn () => start_php($work, [$server->dsn(), $log, $seconds / 8]);
$workers = [];
for ($i = 0; $i < WORKERS; $i++) {
    $workers[] = $start();
}
for ($end = now() + $seconds; now() < $end; usleep(random_int(0, 10_000))) {
    $i = array_rand($workers);
    $workers[$i]->signal(SIGTERM);
    $workers[$i]->output();
    $workers[$i] = $start();
}
foreach ($workers as $worker) {
    $worker->signal(SIGTERM);
    $worker->output();
}

$sections = array_map(fn (string $line) => array_map(intval(...), explode(' ', $line)), file($log));
sort($sections);
check('there were sections', count($sections) > 12 * rounds(2, 4), count($sections));
$overlaps = 0;
$last = 0;
foreach ($sections as [$from, $to]) {
    $overlaps += $from < $last;
    $last = max($last, $to);
}
same('sections that began before the one before them ended', 0, $overlaps);

done();
?>
--EXPECT--
ok
