--TEST--
Renewals that do not fit into the buffer of a socket are sent in parts: all leases stay held, on one connection.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_on_cluster('the test counts the connections to one server');
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$leases = [];
$ttl = room(1.5);
for ($i = 0; $i < 8; $i++) {
    $leases[] = $lock->lease(str_pad("k$i", 60000, 'x'), $ttl);
}
$before = RedisLock::stats()['connects'];
renewals_go_on('at first', 8);
/* Four thirds of a TTL: without renewals none of them would be left. */
usleep((int) (4e6 / 3 * $ttl));
same('held', array_fill(0, 8, true), array_map(fn ($lease) => $lease->isHeld(), $leases));
same('tokens', array_map(fn ($lease) => $lease->token(), $leases),
    $server->cmd('MGET', ...array_map(fn ($lease) => $lease->key(), $leases)));
same('lost', 0, lost());
between('connections', 1, 2, RedisLock::stats()['connects'] - $before);
$leases = [];
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
