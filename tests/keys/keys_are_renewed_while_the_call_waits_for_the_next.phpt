--TEST--
While a call waits for a key, the keys that it has are renewed, with renew: false, too; it waits for one deadline.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$ttl = room(0.6);
foreach ([true, false] as $renews) {
    $what = $renews ? 'renewed' : 'renew: false';
    $waiter = start_php('$lock = new RedisLock($argv[1]);
        $lease = $lock->lease(["a", "b", "c"], (float) $argv[2], 60, (bool) $argv[3]);
        $left = $lease->remaining();
        echo json_encode([$lease->isHeld(), $left, $lease->waited(), $lease->heldFor()]), "\n";
        fgets(STDIN);', [$server->dsn(), $ttl, (int) $renews]);
    $server->cmd('SET', 'c', 'somebody', 'PX', 60000);
    eventually("$what: it holds two keys",
        fn () => present($server, 'a', 'b') === 2, 10.0);
    $until = now() + 3 * $ttl;
    $seen = sample_pttl($server, ['a', 'b'], fn () => now() < $until);
    foreach ($seen as $key => $pttl) {
        check("$what: \"$key\" stays", $pttl['least'] > 0, $pttl);
    }
    $server->cmd('DEL', 'c');
    [$isHeld, $left, $waited, $heldFor] =
        json_decode($waiter->expect('~\]\n~', 10.0), true);
    same("$what: isHeld()", true, $isHeld);
    check("$what: waited()", $waited > 2.9 * $ttl, $waited);
    check("$what: heldFor() begins with the last key", $heldFor < $ttl, $heldFor);
    check("$what: half of the TTL is left", $left > 0.4 * $ttl, [$left, $ttl]);
    if (!$renews) {
        eventually("$what: the keys end with their TTL", fn () => $server->locks() === [], 10.0);
    }
    $waiter->tell('end');
    same("$what: status", 0, $waiter->status());
    same("$what: keys", [], $server->locks());
}

/* The keys share the wait. */
$server->cmd('SET', 'b', 'somebody', 'PX', 60000);
$took = elapsed(fn () => $lock->lease(['a', 'b', 'c'], wait: 0.3), $result);
same('taken', null, $result);
between('seconds', 0.29, slack(2.0), $took);

done();
?>
--EXPECT--
ok
