--TEST--
synchronized() calls the section with the lease, returns its value, and frees the lock.
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
$stranger = new RedisLock($server->dsn(), persistent: false);
$result = $lock->synchronized('k', function (mixed ...$args) use ($server, $stranger): array {
    same('arguments', 1, count($args));
    same('class', RedisLockLease::class, $args[0]::class);
    is_whole('in the section', $server, $args[0]);
    same('taken for others', null, $stranger->lease('k'));
    between('PTTL', 15000, 20000, $server->cmd('PTTL', 'k'));
    return ['left' => 7];
}, ttl: 20, wait: 1);
same('result', ['left' => 7], $result);
same('keys', [], $server->keys());
foreach ([null, false, 0, '', 1.5, 'text', [], $lock] as $value) {
    same('result', $value, $lock->synchronized('k', fn () => $value));
}
same('nothing returned', null, $lock->synchronized('k', function (): void {}));
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
