--TEST--
A thousand leases on one server are renewed by a few writes, and all of them stay held.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$leases = [];
$ttl = room(2.0);
for ($i = 0; $i < 1000; $i++) {
    $leases[] = $lock->lease("k$i", $ttl);
}
$reads = fn () => (int) $server->client()->info('stats')['total_reads_processed'];
renewals_go_on('at first', 1000);
$before = [renewed(), $reads()];
renewals_go_on('twice more', 2000);
$after = [renewed(), $reads()];
/* The server reads 16 KiB at once, which is about a hundred renewals. */
between('reads of the server', 1, ($after[0] - $before[0]) / 20, $after[1] - $before[1]);
same('held', 1000, count(array_filter($leases, fn ($lease) => $lease->isHeld())));
same('lost', 0, lost());
same('keys', 1000, count($server->keys()));
/* Two TTLs have passed: without renewals none of them would be left. */
$tokens = $server->cmd('MGET', ...array_map(fn ($lease) => $lease->key(), $leases));
same('tokens', array_map(fn ($lease) => $lease->token(), $leases), $tokens);
$leases = [];
same('keys in the end', [], $server->keys());

done();
?>
--EXPECT--
ok
