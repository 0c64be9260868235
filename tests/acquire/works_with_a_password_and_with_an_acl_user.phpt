--TEST--
A password and an ACL user work, with any characters.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_on_cluster('it has one database');
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$password = "p@ss:w/r?d#%+ ü";
$server = start_server(['requirepass' => $password], tcp: true);
$client = $server->newClient();
$client->cmd('AUTH', $password);
$client->cmd('ACL', 'SETUSER', 'sh:op@1', 'on', ">$password", '~*', '+@all');

$encoded = rawurlencode($password);
foreach ([
    $server->dsn('', ":$encoded"), $server->tcpDsn('', ":$encoded"),
    $server->dsn('', "default:$encoded"),
    $server->dsn('?db=2', rawurlencode('sh:op@1') . ":$encoded"),
    $server->tcpDsn('/2', rawurlencode('sh:op@1') . ":$encoded"),
] as $i => $dsn) {
    $lock = new RedisLock($dsn);
    matches("acquire() $i", TOKEN, $token = $lock->acquire("k$i"));
    same("release() $i", true, $lock->release("k$i", $token));
}

$error = throws('without a password', 'RedisLockServerException', '~NOAUTH~',
    fn () => (new RedisLock($server->dsn()))->acquire('k'));
same('code of the error', 'NOAUTH', $error->getErrorCode());
$error = throws('wrong password', 'RedisLockServerException', '~WRONGPASS~',
    fn () => (new RedisLock($server->dsn('', ':x')))->acquire('k'));
same('code of the error', 'WRONGPASS', $error->getErrorCode());

done();
?>
--EXPECT--
ok
