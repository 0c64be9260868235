--TEST--
With persistent: false an object has a connection of its own, closed with the object.
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
$count = fn () => count($server->client()->clients());
$shared = new RedisLock($server->dsn());
$shared->isLocked('k');
same('one', 1, $count());

$a = new RedisLock($server->dsn(), persistent: false);
same('none before the first call', 1, $count());
$a->isLocked('k');
$a->isLocked('k');
same('its own', 2, $count());
$b = new RedisLock($server->dsn(), persistent: false);
$b->isLocked('k');
same('another one', 3, $count());

unset($a);
eventually('closed with its object', fn () => $count() === 2);
$b->close();
eventually('closed by close()', fn () => $count() === 1);
$b->isLocked('k');
same('opened again', 2, $count());
$b = null;
eventually('closed with its object', fn () => $count() === 1);
$shared->isLocked('k');
same('the shared one is left', 1, $count());

done();
?>
--EXPECT--
ok
