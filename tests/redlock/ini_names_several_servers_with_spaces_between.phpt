--TEST--
redislock.servers may hold several DSNs, separated by white space.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require_once __DIR__ . '/../inc/members.inc';

$members = start_members(3);
foreach ([' ', "  \t", "\n"] as $space) {
    ini_set('redislock.servers', implode($space, $members->dsns()));
    $lock = new RedisLock();
    $token = $lock->acquire('k');
    matches('acquire()', TOKEN, (string) $token);
    $members->hold('acquire()', 'k', $token);
    same('release()', true, $lock->release('k', $token));
    $members->empty('release()');
}
$before = ini_get('redislock.servers');
foreach (['redis://a b', 'redis://a redis://b redis://c:x'] as $bad) {
    same("ini_set() of $bad", false, @ini_set('redislock.servers', $bad));
}
same('it stays', $before, ini_get('redislock.servers'));
$code =
    'try { var_dump((new RedisLock())->acquire("k") !== null); } catch (ValueError $e) { echo $e->getMessage(); }';
same('from the command line', "bool(true)\n",
    run_php($code, [], ['redislock.servers' => implode(' ', $members->dsns())]));
foreach (['redis://a redis://a' => '~redislock\.servers.*twice~',
        implode(' ', array_map(fn ($i) => "redis://h$i", range(1, 16))) =>
                '~redislock\.servers.*15~'] as $bad => $message) {
    matches("of $bad", $message, run_php($code, [], ['redislock.servers' => $bad]));
}

done();
?>
--EXPECT--
ok
