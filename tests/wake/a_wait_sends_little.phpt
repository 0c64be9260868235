--TEST--
A wait of 2.5 s sends no more than its share of 18 commands in 10 s for one of our locks, and of 70 for a foreign lock.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_on_cluster('the test counts the connections to one server');
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
hold($server, 'ours');
$server->cmd('SET', 'foreign', 'somebody else', 'PX', 60000);
$monitor = $server->monitor();
$waiters = [waiter($server->dsn(), 'ours', ['wait' => 2.5]),
    waiter($server->dsn(), 'foreign', ['wait' => 2.5])];
foreach ($waiters as $waiter) {
    same('in vain', null, $waiter->result()['token']);
}
$counts = ['ours' => 0, 'foreign' => 0, 'other' => 0];
$lines = $monitor->lines();
foreach ($lines as $line) {
    if (preg_match('~ (ours|foreign)~', $line, $m)) {
        $counts[$m[1]]++;
    } elseif ($line === 'CLIENT SETNAME redislock:LABEL') {
        $counts['other']++;
    }
}
/* A SET, a probe, BLPOP and the try after it, the try at the deadline; and 1 probe in 0.85 s or,
 * after the short delays, 1 in 0.2 s. */
between('ours', 4, 5 + 2 + 2, $counts['ours']) || print implode("\n", $lines) . "\n";
between('foreign', 10, 5 + 5 + 2.2 / 0.16 + 2, $counts['foreign'])
    || print implode("\n", $lines) . "\n";
$names = $server->shown(array_fill(0, 4, 'CLIENT SETNAME redislock:LABEL'));
same('names of connections', count($names), $counts['other']);

done();
?>
--EXPECT--
ok
