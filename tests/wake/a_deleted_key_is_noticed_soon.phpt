--TEST--
A lock that was deleted without a release is taken within 0.26 s if it was a foreign lock, and within 1.1 s if it was one of ours.
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

$server = start_server();
$server->cmd('SET', 'foreign', 'somebody else', 'PX', 60000);
$server->cmd('SET', 'for ever', 'somebody else');
hold($server, 'ours');
hold($server, 'ours for ever');
$server->cmd('PERSIST', 'ours for ever');
$limits = ['foreign' => 0.26, 'for ever' => 0.26, 'ours for ever' => 0.26, 'ours' => 1.1];
$waiters = [];
foreach ($limits as $key => $limit) {
    $waiters[$key] = waiter($server->dsn(), $key);
}
queued($server, 4);
usleep((int) (1e6 * room(0.7))); // delays have grown to their maximum
$deleted = now();
$server->cmd('DEL', ...array_keys($limits));
foreach ($limits as $key => $limit) {
    $result = $waiters[$key]->result();
    matches("$key: token", TOKEN, (string) $result['token']);
    check("$key: not before", $result['at'] >= $deleted, $result['at'] - $deleted);
    check("$key: within $limit s", $result['at'] - $deleted <= $limit + slack(0.3),
        $result['at'] - $deleted);
}

done();
?>
--EXPECT--
ok
