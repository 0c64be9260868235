--TEST--
If the members are nodes of clusters, a wait polls, as with one server, and gets the lock.
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
require __DIR__ . '/../inc/cluster.inc';

$dsns = [];
for ($i = 0; $i < 3; $i++) {
    $clusters[$i] = start_cluster(1);
    $servers[$i] = $clusters[$i]->nodes[0];
    $dsns[] = $servers[$i]->dsn();
}
foreach ([1, 3] as $count) {
    $some = array_slice($dsns, 0, $count);
    $lock = new RedisLock($some, timeout: room(1.0), connectTimeout: room(1.0));
    $token = $lock->acquire('k', 30);
    check("$count: taken", $token !== null);
    $waiter = waiter($some, 'k', ['wait' => 15]);
    usleep((int) (1e6 * room(0.3)));
    same("$count: a wait ends by its time", null, $lock->acquire('k', 30, 0.3));
    same("$count: release()", true, $lock->release('k', (string) $token));
    $result = $waiter->result();
    check("$count: the waiter gets it", $result['token'] !== null, $result);
    same("$count: it polled", 1, $result['stats']['wake_failures'] ?? null);
    same("$count: released", true, $lock->release('k', (string) $result['token']));
    $leases = [];
    foreach (range(1, 30) as $i) {
        $leases[] = $lock->lease("lease$i", 30);
    }
    same("$count: a section", 7, $lock->synchronized('k', fn () => 7, 30, 1));
    unset($leases);
    foreach (array_slice($servers, 0, $count) as $i => $server) {
        eventually("$count: nothing is left on $i", fn () => $server->keys() === []);
    }
}

done();
?>
--EXPECT--
ok
