--TEST--
One server behind two names refuses the second SET, so only progress is lost.
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

$server = start_server(tcp: true);
$other = start_server();
$lock = new RedisLock([$server->dsn(), $server->tcpDsn(), $other->dsn()]);
$token = $lock->acquire('k');
matches('one of two and the third', TOKEN, (string) $token);
same('taken', null, $lock->acquire('k'));
$lock->release('k', (string) $token);
eventually('nothing is left', fn () => [$server->locks(), $other->locks()] === [[], []]);
$other->kill();
throws('without the third', 'RedisLockConnectionException', '~.~', fn () => $lock->acquire('k'));

done();
?>
--EXPECT--
ok
