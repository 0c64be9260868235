--TEST--
When the lock of a dead holder ends, a crowd of waiters does not look all at once.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

const WAITERS = 12;
// most of them are marks only: their processes would need more time than is to be seen
const CROWD = 12000;

$server = start_server();
$unit = room(0.1);
hold($server, 'k', (int) (40000 * $unit));
$ends_at = microtime(true) + (int) $server->cmd('PTTL', 'k') / 1000;
$waiters = [];
for ($i = 0; $i < WAITERS; $i++) {
    $waiters[] = waiter($server->dsn(), 'k', ['ttl' => 60, 'wait' => 80 * $unit + 12]);
}
queued($server, WAITERS);
$names = array_flip(marked($server, 'k'));
same('waiters', WAITERS, count($names));
for ($i = 0; $i < CROWD; $i += 1000) {
    $marks = [];
    for ($j = 0; $j < 1000; $j++) {
        array_push($marks, (string) ((microtime(true) + 60) * 1000), 'ghost' . ($i + $j));
    }
    $server->cmd('ZADD', 'k::rl-wait', ...$marks);
}
// each has looked since, and seen the crowd
usleep((int) (1e6 * max(0, $ends_at - 3 * $unit - microtime(true))));

$monitor = $server->monitor();
usleep((int) (1e6 * max(0, $ends_at + 8 * $unit - microtime(true))));
$looks = [];
foreach ($monitor->named('EVALSHA', 'EVAL') as $command) {
    $name = $command['args'][7] ?? '';
    if (isset($names[$name]) && $command['time'] >= $ends_at) {
        $looks[$name] ??= $command['time'] - $ends_at;
    }
}
check('most have looked by then', count($looks) > WAITERS / 2, $looks);
between('from the first look to the last', 0.1, 0.5 + slack(5.0), max($looks) - min($looks));
same('one has the lock', 1, $server->cmd('EXISTS', 'k'));
array_map(fn (Waiter $waiter) => $waiter->kill(), $waiters);

done();
?>
--EXPECT--
ok
