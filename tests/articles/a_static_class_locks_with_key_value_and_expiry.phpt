--TEST--
Document 000: a static class with lock(key, value, seconds) and unlock(key, value) works as described.
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
putenv('REDIS_URL=' . $server->dsn());
require __DIR__ . '/../../examples/from-the-articles/000-lock-class.php';

use app\common\library\Lock;

same('keys after the example', [], $server->keys());

$key = 'lock:{goods}:1';
$value = Lock::generateValue();
check('values are unique', $value !== Lock::generateValue());

$monitor = $server->monitor();
same('lock()', true, Lock::lock($key, $value, 300));
same('one SET, with the expiry in it', ["SET $key TOKEN NX PX 300000"], $monitor->lines());
between('PTTL', 299000, 300000, $server->cmd('PTTL', $key));
same('the key holds the value', $value, $server->cmd('GET', $key));
same('the same value again', false, Lock::lock($key, $value, 300));
same('another value', false, Lock::lock($key, 'another', 300));

same('unlock() with a wrong value', 0, Lock::unlock($key, 'another'));
same('the key still holds the value', $value, $server->cmd('GET', $key));
$monitor->reset();
same('unlock()', 1, Lock::unlock($key, $value));
same('one script, key and value as arguments',
    ["EVALSHA SHA 3 $key $key::rl-wait $key::rl-wake TOKEN"], $monitor->lines());
same('unlock() again', 0, Lock::unlock($key, $value));
same('keys', [], $server->keys());

// A value as the document makes it, and other clients that write the options as they like.
$value = microtime(true) . mt_rand(10000, 99999);
same('a value of the document', true, Lock::lock($key, $value, 30));
same('SET NX EX of another client', null, $server->cmd('SET', $key, 'x', 'NX', 'EX', 5));
same('set nx px of another client', null, $server->cmd('set', $key, 'x', 'nx', 'px', 5000));
same('SETNX of another client', 0, $server->cmd('SETNX', $key, 'x'));
same('unlock()', 1, Lock::unlock($key, $value));
foreach ([['nx', 'ex', '30'], ['NX', 'EX', '30'], ['Nx', 'Px', '30000']] as $options) {
    same(implode(' ', $options), 'OK', $server->cmd('SET', $key, 'another client', ...$options));
    same('refused by ' . implode(' ', $options), false, Lock::lock($key, $value, 30));
    same('freed by the value of ' . implode(' ', $options), 1,
        Lock::unlock($key, 'another client'));
}

// Work that takes longer than its lock does not free the lock of the next holder.
same('a lock for a second', true, Lock::lock($key, 'slow', 1));
eventually('it expires', fn () => Lock::lock($key, 'next', 30));
same('the slow one unlocks', 0, Lock::unlock($key, 'slow'));
same('the next one has it still', 'next', $server->cmd('GET', $key));
same('the next one unlocks', 1, Lock::unlock($key, 'next'));

// The document's catch (\Exception) misses an Error; finally does not.
try {
    Lock::lock($key, $value, 300);
    try {
        intdiv(1, 0);
    } finally {
        Lock::unlock($key, $value);
    }
} catch (\Error) {
}
same('keys after an Error', [], $server->keys());

$server->kill();
$gone = '~cannot connect|closed~';
throws('no server is no refusal', 'RedisLockConnectionException', $gone,
    fn () => Lock::lock($key, $value, 300));
throws('nor a lock that is not ours', 'RedisLockConnectionException', $gone,
    fn () => Lock::unlock($key, $value));

done();
?>
--EXPECT--
working
freed
ok
