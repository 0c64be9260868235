--TEST--
With reentrant: true a lease of several keys enters the keys that its Fiber holds already, and the last lease frees each key.
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
$lock = new RedisLock($server->dsn(), reentrant: true);
$outer = $lock->lease('b', 10);
$token = $outer->token();
$inner = $lock->lease(['a', 'b', 'c'], 20, wait: 5);
same('keys()', ['a', 'b', 'c'], $inner->keys());
same('the key is entered', $token, $server->cmd('GET', 'b'));
between('with the longer TTL', 10_001, 20_000, $server->cmd('PTTL', 'b'));
$again = $lock->lease(['c', 'b'], wait: 5);
same('again', [true, ['b', 'c']], [$again->isHeld(), $again->keys()]);
same('the innermost', true, $again->release());
same('it frees nothing', 3, present($server, 'a', 'b', 'c'));
same('the inner one', true, $inner->release());
same('it frees its own keys', ['0:b'], $server->locks());
same('the outer one', true, $outer->release());
same('keys', [], $server->locks());

/* A call that is refused leaves what the outer code holds. */
$outer = $lock->lease(['a', 'b']);
$server->cmd('SET', 'c', 'somebody', 'PX', 60000);
same('refused', null, $lock->lease(['a', 'b', 'c'], wait: 0.05));
same('the outer lease', [true, true], [$outer->isHeld(), $outer->verify()]);
unset($outer);
same('keys afterwards', ['0:c'], $server->locks());

/* A lock that turns out to be lost is taken anew. */
$server->cmd('DEL', 'c');
$outer = $lock->lease('b', 10);
$server->cmd('DEL', 'b');
$inner = $lock->lease(['a', 'b'], 20);
same('the outer lease is lost', false, $outer->isHeld());
same('the inner one', [true, true, 2],
    [$inner->isHeld(), $inner->verify(), present($server, 'a', 'b')]);
unset($inner, $outer);
same('nothing is left', [], $server->locks());

done();
?>
--EXPECT--
ok
