--TEST--
A member that refuses the handshake counts as failed: with one such member of three all works, and with two the exception names them.
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

$open = start_server();
$other = start_server();
$closed = start_server(['requirepass' => 'secret']);
$closed2 = start_server(['requirepass' => 'secret']);

$members = new Members([$closed, $open, $other]);
$lock = $members->lock();
for ($i = 0; $i < 3; $i++) {
    $token = $lock->acquire('k');
    matches('acquire()', TOKEN, (string) $token);
    $members->hold('acquire()', 'k', $token, [1, 2]);
    same('release()', true, $lock->release('k', $token));
    $members->empty('release()', [1, 2]);
}
$password = $closed->newClient();
$password->cmd('AUTH', 'secret');
same('no key', [], $password->cmd('KEYS', '*'));

$members = new Members([$closed, $open, $closed2]);
$lock = $members->lock();
$thrown = fails_by('two', [$closed, $closed2], fn () => $lock->acquire('k'), 2.0,
    'RedisLockServerException');
same('getErrorCode()', 'NOAUTH', $thrown?->getErrorCode());
foreach ($thrown?->getReasons() ?? [] as $reason) {
    matches('reason', '~NOAUTH~', $reason);
}
$members->empty('two', [1]);
fails_by('two, release()', [$closed, $closed2], fn () => $lock->release('k', 'token'), 2.0,
    'RedisLockServerException');

/* With the password all three are used. */
$lock = new RedisLock([$closed->dsn('', ':secret'), $open->dsn(), $closed2->dsn('', ':secret')]);
$token = $lock->acquire('k');
eventually('all three have it', fn () => $password->cmd('GET', 'k') === $token);
same('release()', true, $lock->release('k', $token));

done();
?>
--EXPECT--
ok
