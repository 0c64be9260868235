--TEST--
A re-entrant object enters its own lock again without traffic, and the last lease frees the lock.
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
$lock = new RedisLock($server->dsn(), reentrant: true);
$other = new RedisLock($server->dsn());
$first = $lock->lease('k', 30);
$monitor = $server->monitor();
$second = $lock->lease('k', 10);
$third = $lock->lease('k', wait: 5);
same('traffic', [], $monitor->lines());
same('one token', [$first->token(), $first->token()], [$second->token(), $third->token()]);
same('attempts of the first, of the second', [1, 0], [$first->attempts(), $second->attempts()]);
same('all are held', [true, true, true], [$first->isHeld(), $second->isHeld(), $third->isHeld()]);
same('another object is refused', null, $other->lease('k'));

$monitor->reset();
same('release() of the first', true, $first->release());
same('a second time', false, $first->release());
same('it is over', [false, 0.0], [$first->isHeld(), $first->remaining()]);
throws('assertHeld()', 'RedisLockLostException', '~released~', fn () => $first->assertHeld());
unset($second);
same('traffic', [], $monitor->lines());
same('the third', true, $third->isHeld());
same('the key is there', ['0:k'], $server->keys());
same('release() of the last', true, $third->release());
same('keys', [], $server->keys());

$again = $lock->lease('k');
same('a new lock has a new token', false, $again->token() === $third->token());
unset($again);
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
