--TEST--
The endpoint of docs/monitoring.md prints what Prometheus reads, and the page has a row for each number.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/fpm.inc';
skip_without_fpm();
if (!is_file(__DIR__ . '/../../docs/monitoring.md')) {
    die('skip the package has no docs');
}
?>
--FILE--
<?php
require __DIR__ . '/../inc/fpm.inc';

$page = file_get_contents(__DIR__ . '/../../docs/monitoring.md');
preg_match('~^```php\n<\?php\n(header.*?)^```$~ms', $page, $m);
$endpoint = $m[1];
between('lines', 5, 15, substr_count($endpoint, "\n"));

$server = start_server();
$fpm = start_fpm($server);
$fpm->run('
    $lock = new RedisLock();
    $token = $lock->acquire("free", 30, 5);
    $lock->release("free", $token);
    $lock->synchronized("section", fn () => usleep(20000));');
$answer = $fpm->run($endpoint);
same('what is logged', '', $answer->errors);
matches('the type', '~^Content-type: text/plain; ?version=0\.0\.4~mi', $answer->headers);

/* A line of the text format: a comment with the type, or a sample of that metric. */
$samples = $types = $buckets = [];
foreach (explode("\n", rtrim($answer->body, "\n")) as $line) {
    if (preg_match('~^# TYPE (redislock_[a-z_]+) (gauge|counter|histogram)$~', $line, $m)) {
        check("$m[1] has one type", !isset($types[$m[1]]));
        [$types[$m[1]], $metric] = [$m[2], $m[1]];
    } elseif (preg_match('~^(redislock_[a-z_]+)(\{le="([\d.]+|\+Inf)"\})? ([\d.E-]+)$~', $line,
            $m)) {
        check("$line: of $metric", str_starts_with($m[1], $metric));
        $samples[$m[1] . $m[2]] = (float) $m[4];
        if ($m[2] !== '') {
            $buckets[$metric][] = [$m[3] === '+Inf' ? INF : (float) $m[3], (float) $m[4]];
        }
    } else {
        check('a line of the format', false, $line);
    }
}
same('acquired, released, held, waiting', [2.0, 2.0, 0.0, 0.0],
    [$samples['redislock_acquired_total'], $samples['redislock_released_total'],
        $samples['redislock_held'], $samples['redislock_waiting']]);
same('histograms', ['redislock_wait_time_seconds', 'redislock_hold_time_seconds',
    'redislock_round_trip_seconds'], array_keys($types, 'histogram'));
same('waits, holds', [1.0, 1.0], [$samples['redislock_wait_time_seconds_count'],
    $samples['redislock_hold_time_seconds_count']]);
check('round trips', $samples['redislock_round_trip_seconds_count'] >= 3.0, $samples);
between('held for', 0.02, slack(2.0), $samples['redislock_hold_time_seconds_sum']);
foreach ($buckets as $metric => $list) {
    $sorted = $list;
    sort($sorted);
    $counts = array_column($list, 1);
    $ascending = $counts;
    sort($ascending);
    same("$metric: bounds ascend", $sorted, $list);
    same("$metric: counts ascend", $ascending, $counts);
    same("$metric: the last bucket has all", [INF, $samples["{$metric}_count"]], end($list));
}
/* 20 ms are between the bounds 16.384 and 32.768 ms, or longer on a busy machine. */
same('a hold of 20 ms is in no shorter bucket', 0.0,
    $samples['redislock_hold_time_seconds_bucket{le="0.016384"}']);

/* The tables of the page. */
preg_match_all('~^\| `([a-z_]+)` \|~m', $page, $m);
$listed = $m[1];
$names = array_keys(RedisLock::stats());
sort($listed);
sort($names);
same('the rows', $names, $listed);
preg_match_all('~redislock_[a-z_]+~', strstr($page, '## What to alert on'), $m);
$known = array_map(fn (string $name): string => preg_replace('~\{.*~', '', $name),
    array_keys($samples));
same('alerts on metrics that there are', [], array_values(array_diff($m[0], $known)));

done();
?>
--EXPECT--
ok
