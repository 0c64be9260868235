--TEST--
After a role switch of a majority of the members, each behind one address, calls continue and a lease stays held.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/gateway.inc';
require __DIR__ . '/../inc/waiter.inc';
require __DIR__ . '/../inc/renew.inc';

$pairs = [start_pair(), start_pair(), start_pair()];
$dsns = array_map(fn ($pair) => $pair[2]->dsn(), $pairs);
$lock = new RedisLock($dsns, timeout: room(1.0), connectTimeout: room(1.0));
$lease = $lock->lease('renewed', room(1.5));
$token = $lock->acquire('token', 60);
renewals_go_on('before the switch');
$waiter = waiter($dsns, 'token', ['wait' => 20]);
eventually('it waits', fn () => count($pairs[0][0]->keys()) >= 3
    || count($pairs[1][0]->keys()) >= 3);
foreach ([0, 1] as $i) {
    switch_roles(...$pairs[$i]);
}
same('release()', true, $lock->release('token', $token));
$result = $waiter->result();
check('the waiter gets it', $result['token'] !== null, $result);
same('acquire()', true, $lock->acquire('other', 30) !== null);
renewals_go_on('after the switch', 2);
same('the lease is held', [true, true], [$lease->isHeld(), $lease->verify()]);
same('and released', true, $lease->release());
same('nothing was lost', 0, lost());

done();
?>
--EXPECT--
ok
