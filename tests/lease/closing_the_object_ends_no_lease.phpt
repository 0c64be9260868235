--TEST--
close() closes connections; leases continue.
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
$lease = $lock->lease('k');
$own = new RedisLock($server->dsn(), persistent: false);
$mine = $own->lease('mine');
$lock->close();
$own->close();
is_whole('shared', $server, $lease);
is_whole('its own', $server, $mine);
same('extend()', [true, true], [$lease->extend(30), $mine->extend(30)]);
$lock->close();
$own->close();
same('release()', [true, true], [$lease->release(), $mine->release()]);
$last = $own->lease('last');
$own->close();
unset($last);
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
