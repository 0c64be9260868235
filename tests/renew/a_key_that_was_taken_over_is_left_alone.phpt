--TEST--
A key that another holder has taken over, of any type, is neither renewed nor released.
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
$theirs = [
    'another token' => ['SET', 'a', RedisLock::token(), 'PX', 600000],
    'no ttl' => ['SET', 'b', 'somebody'],
    'a list' => ['RPUSH', 'c', 'x', 'y'],
    'a reservation' => ['SET', 'd', '', 'PX', 600000],
    'their renewed lease' => null,
];
$keys = array_combine(array_keys($theirs), ['a', 'b', 'c', 'd', 'e']);
$leases = array_map(fn ($key) => $lock->lease($key, $ttl), $keys);
foreach ($theirs as $what => $command) {
    $server->cmd('DEL', $keys[$what]);
    $command === null || $server->cmd(...$command);
}
$other = start_and_stop_at('$lease = (new RedisLock($argv[1]))->lease("e", (float) $argv[2]);',
    'echo $lease->isHeld() ? "held" : "lost"; $lease->detach();', [$server->dsn(), $ttl]);
$before = array_map(fn ($key) => $server->cmd('DUMP', $key), $keys);
foreach ($leases as $what => $lease) {
    between("$what: noticed", 0, $ttl / 3 + slack(0.3), until_lost($what, $lease));
}
usleep((int) (0.7e6 * $ttl));
foreach ($leases as $what => $lease) {
    same("$what: release()", false, $lease->release());
}
unset($leases, $lease);
same('values', array_map(bin2hex(...), $before),
    array_map(fn ($key) => bin2hex($server->cmd('DUMP', $key) ?? ''), $keys));
between('their ttl', 500000, 600000, $server->cmd('PTTL', 'a'));
same('no ttl', -1, $server->cmd('PTTL', 'b'));
$other->tell('go');
matches('the other one', '~\nheld$~D', $other->output());
same('lost', 5, lost());

done();
?>
--EXPECT--
ok
