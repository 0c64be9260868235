--TEST--
Renewal continues after SCRIPT FLUSH, and sends the script as text once.
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
$lease = $lock->lease('k', room(0.6));
renewals_go_on('at first');
$monitor = $server->monitor();
$server->cmd('SCRIPT', 'FLUSH');
renewals_go_on('after SCRIPT FLUSH', 2);
$said = array_column(array_column($monitor->named('EVAL', 'EVALSHA'), 'args'), 0);
same('what was sent', ['EVALSHA', 'EVAL', 'EVALSHA'], array_slice($said, 0, 3));
stays_held('and on', $server, $lease, 0.5);
same('lost', 0, lost());

done();
?>
--EXPECT--
ok
