--TEST--
Under FPM stats(all: true) has the numbers of all workers, and those of a killed one stay in the sums.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/fpm.inc';
skip_without_fpm();
?>
--FILE--
<?php
require __DIR__ . '/../inc/fpm.inc';

$server = start_server();
$fpm = start_fpm($server, [], ['pm.max_children' => 4]);
$folder = test_folder();

/* Holds ten locks, and prints the sums each time that a file asks for them. */
$code = '
    $lock = new RedisLock();
    $leases = [];
    for ($i = 0; $i < 10; $i++) {
        $leases[] = $lock->lease("$_GET[name]:$i");
    }
    echo "pid ", getmypid(), "\n";
    flush();
    for ($question = 1; !is_file("$_GET[folder]/end"); clearstatcache(), usleep(2000)) {
        if (is_file("$_GET[folder]/$question")) {
            $all = RedisLock::stats(all: true);
            $own = RedisLock::stats()["held"];
            echo "answer $question ", json_encode(["own" => $own] + $all), "\n";
            flush();
            $question++;
        }
    }';
$pids = $requests = [];
foreach (['a', 'b', 'c', 'd'] as $name) {
    $requests[$name] = $fpm->start($code, ['name' => $name, 'folder' => $folder]);
}
foreach ($requests as $name => $request) {
    preg_match('~^pid (\d+)$~m', $request->expect('~^pid \d+$~m')->body, $m);
    $pids[$name] = (int) $m[1];
}
same('workers', 4, count(array_unique($pids)));
same('keys', 40, count($server->keys()));

$question = 0;
$ask = function () use (&$question, $folder, &$requests): array {
    touch("$folder/" . ++$question);
    $answers = [];
    foreach ($requests as $name => $request) {
        $line = "~^answer $question (.*)$~m";
        preg_match($line, $request->expect("~^answer $question .*\n~m")->body, $m);
        $answers[$name] = json_decode($m[1], true);
    }
    return $answers;
};
foreach ($ask() as $name => $all) {
    same("worker $name: held, own, acquired, processes", [40, 10, 40, 4],
        [$all['held'], $all['own'], $all['acquired'], $all['processes']]);
    same("worker $name: missing", 0, $all['processes_missing']);
    check("worker $name: round trips", $all['round_trip']['count'] >= 40
        && $all['round_trip']['buckets']['+Inf'] === $all['round_trip']['count'], $all);
}

/* A killed worker leaves the gauges, and its numbers stay in the sums. */
send_signal($pids['b'], 9);
unset($requests['b']);
eventually('the worker is gone', function () use ($pids): bool {
    clearstatcache();
    return !is_dir("/proc/{$pids['b']}");
});
foreach ($ask() as $name => $all) {
    same("one was killed, worker $name", [30, 40, 3],
        [$all['held'], $all['acquired'], $all['processes']]);
}

/* Its successor begins at zero, and counts with the others. */
$new = $fpm->run('
    $before = RedisLock::stats();
    $lock = new RedisLock();
    $lease = $lock->lease("new");
    $all = RedisLock::stats(all: true);
    echo json_encode([$before["acquired"], $before["held"], RedisLock::stats()["acquired"],
        $all["held"], $all["acquired"], $all["processes"]]);');
same('the new worker', [0, 0, 1, 31, 41, 4], json_decode($new->body));

touch("$folder/end");
foreach ($requests as $request) {
    $request->finish();
}
$rest = json_decode($fpm->run('echo json_encode(RedisLock::stats(all: true));')->body, true);
same('at the end', [0, 31, 31],
    [$rest['held'], $rest['released'], $rest['hold_time']['count']]);

/* A reload starts a new master, with new sums. */
$fpm->signal(SIGUSR2);
eventually('after a reload the sums begin at zero', function () use ($fpm): bool {
    try {
        $all = json_decode($fpm->run('echo json_encode(RedisLock::stats(all: true));')->body, true);
    } catch (RuntimeException) { // it is starting again
        return false;
    }
    return ($all['acquired'] ?? null) === 0;
});
array_map('unlink', glob("$folder/*"));
rmdir($folder);

done();
?>
--EXPECT--
ok
