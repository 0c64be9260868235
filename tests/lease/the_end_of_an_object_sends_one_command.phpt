--TEST--
The end of a lease sends one command, like the end of a section; a lease costs two commands in all.
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
$lock->release('k', RedisLock::token()); // the server knows the script from now on
$names = fn (Monitor $monitor) => array_map(fn ($command) => $command['args'][0] . ' '
    . (in_array('k', $command['args'], true) ? 'k' : '?'), $monitor->commands());
$monitor = $server->monitor();
$lease = $lock->lease('k');
unset($lease);
same('unset', ['SET k', 'EVALSHA k'], $names($monitor));
$lock->synchronized('k', fn () => 1);
same('a section', ['SET k', 'EVALSHA k'], $names($monitor));

done();
?>
--EXPECT--
ok
