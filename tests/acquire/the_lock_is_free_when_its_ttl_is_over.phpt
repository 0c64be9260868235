--TEST--
A lock ends by itself when its TTL is over, not earlier, and can be taken again.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$ttl = room(0.3);
$start = now();
$first = $lock->acquire('k', $ttl);
$refusals = 0;
while (($second = $lock->acquire('k')) === null) {
    $refusals++;
    usleep(5000);
}
check('not before the TTL', now() - $start >= $ttl - 0.001, now() - $start);
check('soon after it', now() - $start < slack(3.0), now() - $start);
check('refused before', $refusals > 0);
check('a new token', $first !== $second);

done();
?>
--EXPECT--
ok
