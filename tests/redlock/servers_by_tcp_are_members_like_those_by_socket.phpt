--TEST--
Members may be reached in different ways: by TCP with a database, and by unix sockets.
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

$members = start_members(3, tcp: true);
[$a, $b, $c] = $members->servers;
$lock = new RedisLock([$a->tcpDsn('/2'), $b->dsn('?db=3'), $c->tcpDsn()], 'p:');
/* A member that is still busy with its handshake when the others have decided gets no SET. */
$handshakes = run_folder() === null ? 0 : 1;
eventually('all are connected',
    fn () => !$lock->isLocked('k') && RedisLock::stats()['tls_handshakes'] === $handshakes);
$token = $lock->acquire('k', 30);
matches('acquire()', TOKEN, (string) $token);
eventually('each has it in its database',
    fn () => [$a->locks(), $b->locks(), $c->locks()] === [['2:p:k'], ['3:p:k'], ['0:p:k']]);
same('owner()', $token, $lock->owner('k'));
$a->kill();
same('extend()', true, $lock->extend('k', $token, 60));
$b->kill();
$thrown = throws('two dead', 'RedisLockConnectionException', '~.~',
    fn () => $lock->extend('k', $token, 60));
$reasons = $thrown?->getReasons() ?? [];
same('their names', 2, count($reasons)) || print show($reasons) . "\n";
matches('refused', '~refused~i', implode(' ', $reasons));

done();
?>
--EXPECT--
ok
