--TEST--
redislock.servers and redislock.prefix are the defaults and can change at any time; arguments take precedence.
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
same('default of redislock.servers', 'redis://127.0.0.1:6379', ini_get('redislock.servers'));
same('default of redislock.prefix', '', ini_get('redislock.prefix'));

ini_set('redislock.servers', $server->dsn());
ini_set('redislock.prefix', 'shop:');
$lock = new RedisLock();
$ignored = $lock->acquire('k');
same('both', ['0:shop:k'], $server->keys());

ini_set('redislock.prefix', 'other:');
ini_set('redislock.servers', $server->dsn('?db=1'));
same('an object keeps what it was made with', true, $lock->isLocked('k'));
$ignored = (new RedisLock(null, null))->acquire('k');
same('null is the INI setting', ['0:shop:k', '1:other:k'], $server->keys());
$ignored = (new RedisLock($server->dsn('?db=2'), 'p:'))->acquire('k');
$ignored = (new RedisLock(prefix: ''))->acquire('k');
same('arguments win', ['0:shop:k', '1:k', '1:other:k', '2:p:k'], $server->keys());

echo run_php('$ignored = (new RedisLock())->acquire("k");', [],
    ['redislock.servers' => $server->dsn('?db=4'), 'redislock.prefix' => 'ini:']);
same('from the command line', ['0:shop:k', '1:k', '1:other:k', '2:p:k', '4:ini:k'],
    $server->keys());

done();
?>
--EXPECT--
ok
