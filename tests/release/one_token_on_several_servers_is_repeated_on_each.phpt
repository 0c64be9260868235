--TEST--
A token that was used on several servers is released late on each of them.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_on_cluster('a node cannot be made a replica');
?>
--FILE--
<?php
require __DIR__ . '/../inc/outage.inc';

$servers = [start_server(), start_server(), start_server()];
$locks = array_map(fn (TestServer $server) => new RedisLock($server->dsn()), $servers);
$token = RedisLock::token();
[$begin, $end, $class] = outages()['READONLY'];
postponed();
foreach ($servers as $i => $server) {
    same("server $i: taken", $token, $locks[$i]->acquire('k', 60, token: $token));
    $begin($server);
}
foreach ($locks as $i => $lock) {
    throws("server $i: the release", $class, '~READONLY~', fn () => $lock->release('k', $token));
}
array_map($end, $servers);
foreach ($servers as $i => $server) {
    eventually("server $i: the key goes", fn () => $server->cmd('EXISTS', 'k') === 0, 5.0);
}
eventually('repeated, done, dropped', fn () => postponed() === [3, 3, 0]);

done();
?>
--EXPECT--
ok
