--TEST--
A user without rights to the helper keys, and an object with wake: false, free leases by object, section and request.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$server->cmd('ACL', 'SETUSER', 'shop', 'on', '>secret', '~k*', '+@all', '-zcard', '-lpush');
$server->cmd('ACL', 'SETUSER', 'narrow', 'on', '>secret', '+@all', '~only');
foreach (['shop:secret' => 'k', 'narrow:secret' => 'only', '' => 'k'] as $user => $key) {
    foreach ([true, false] as $wake) {
        $what = "$user wake " . (int) $wake;
        $own = new RedisLock($server->dsn('', $user), wake: $wake, persistent: false);
        $lease = $own->lease($key, 60);
        unset($lease);
        same("$what: unset", [], $server->keys());
        same("$what: section", 5, $own->synchronized($key, fn () => 5));
        same("$what: section's key", [], $server->keys());
        $all = [$own->lease($key, 60)];
        same("$what: release()", true, $all[0]->release());
        $code = '$lock = new RedisLock($argv[1], wake: (bool) $argv[2]); $lease = $lock->lease($argv[3], 60); echo $lease->isHeld();';
        same("$what: output", '1', run_php($code, [$server->dsn('', $user), (int) $wake, $key]));
        same("$what: end", [], $server->keys());
    }
}

done();
?>
--EXPECT--
ok
