--TEST--
A TTL reaches the server as whole milliseconds, rounded down.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$monitor = $server->monitor();

$cases = [[1.2349, '1234'], [0.005, '5'], [0.0059, '5'], [5.9999, '5999'], [1, '1000'],
    [0.25, '250'], [30, '30000'],
    [300.0, '300000'], [366 * 86400, '31622400000']];
foreach ($cases as $i => [$ttl, $ms]) {
    try {
        $ignored = $lock->acquire("k$i", $ttl);
    } catch (RedisLockConnectionException $thrown) {
        matches('5 ms can be over before the answer comes', '~too slow~', $thrown->getMessage());
    }
    $sent = array_column($monitor->named('SET'), 'args');
    same("SET for $ttl", [['SET', "k$i", 3 => 'NX', 4 => 'PX', 5 => $ms]],
        array_map(fn (array $args): array => array_diff_key($args, [2 => 'the token']), $sent));
}

done();
?>
--EXPECT--
ok
