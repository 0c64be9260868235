--TEST--
A re-entrant lease that asks for a longer TTL than the lock has sets it at the server; a shorter one changes nothing.
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
$first = $lock->lease('k', 10);
$second = $lock->lease('k', 5);
between('PTTL after a shorter one', 5001, 10000, $server->cmd('PTTL', 'k'));
$third = $lock->lease('k', 60);
between('PTTL after a longer one', 50000, 60000, $server->cmd('PTTL', 'k'));
between('remaining() of the first', 50.0, 60.0, $first->remaining());

/* Lost meanwhile: the longer TTL is refused, and the lock is asked for anew. */
$server->cmd('SET', 'k', 'somebody else', 'PX', 60000);
same('taken over', null, $lock->lease('k', 120));
same('lost for all of them', [false, false, false],
    [$first->isHeld(), $second->isHeld(), $third->isHeld()]);
same('release()', [false, false, false],
    [$first->release(), $second->release(), $third->release()]);
same('the other has it', 'somebody else', $server->cmd('GET', 'k'));

done();
?>
--EXPECT--
ok
