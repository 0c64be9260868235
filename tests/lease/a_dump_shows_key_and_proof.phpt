--TEST--
var_dump() and print_r() of a lease show its key, whether it is held and for how long, and nothing else.
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
$lock = new RedisLock($server->dsn(), 'prefix:');
$dump = function (RedisLockLease $lease): string {
    ob_start();
    var_dump($lease);
    print_r($lease);
    return preg_replace('~\s+~', ' ', ob_get_clean());
};
$shows = function (string $what, RedisLockLease $lease, string $key, string $held,
        string $remaining) use ($dump): void {
    $seen = $dump($lease);
    $key = preg_quote($key);
    matches($what,
        "~^object\(RedisLockLease\)#\d+ \(3\) \{ \[\"key\"\]=> string\(\d+\) \"$key\" \[\"held\"\]=> bool\($held\) "
        . "\[\"remaining\"\]=> float\($remaining\) \} RedisLockLease Object \( \[key\] => $key \[held\] => 1? ?\[remaining\] => $remaining \) $~",
        $seen);
    check("$what: no token", !str_contains($seen, $lease->token())
        && !str_contains($seen, 'rl1.'), $seen);
};
foreach ([true, false] as $renew) {
    $lease = $lock->lease('order:42', 60, renew: $renew);
    without_traffic('a dump', $server,
        fn () => $shows('held', $lease, 'order:42', 'true', '5\d\.\d+'));
    same('released', true, $lease->release());
    $shows('released', $lease, 'order:42', 'false', '0');
}
$lease = $lock->lease('lost', 60);
$server->cmd('DEL', 'prefix:lost');
same('verify()', false, $lease->verify());
$shows('lost', $lease, 'lost', 'false', '0');
$lease = $lock->lease('detached', 60);
$token = $lease->detach();
$shows('detached', $lease, 'detached', 'false', '0');
$lease = $lock->lease("any\0bytes", 60);
check('any bytes', str_contains($dump($lease), "any\0bytes"));

/* Nothing else has properties to show. */
same('var_export()', "\\RedisLockLease::__set_state(array(\n))", var_export($lease, true));
same('(array)', [], (array) $lease);
same('get_object_vars()', [], get_object_vars($lease));
same('json_encode()', '{}', json_encode($lease));
same('http_build_query()', '', http_build_query($lease));

/* In a child of a fork nothing is held. */
$pid = in_fork(fn () => $shows('in a fork', $lease, "any\0bytes", 'false', '0'));
reap($pid);

done();
?>
--EXPECT--
ok
