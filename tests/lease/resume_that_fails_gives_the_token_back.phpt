--TEST--
A resume() whose answer was lost is recognised; without any answer it throws, and the given token keeps its worth.
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
require __DIR__ . '/../inc/fake_server.inc';

$server = start_server();
$direct = new RedisLock($server->dsn());
$fake = fake_server([], $server, true);
$lock = new RedisLock($fake->dsn(), timeout: room(0.3));
$lock->isLocked('k');

/* The swap was run, or was not, its answer was lost, and it was sent again. */
foreach (['run', 'not run'] as $what) {
    $token = $direct->acquire('k', 60);
    $fake->rules([rule('EVALSHA', $what === 'run' ? ['forward', 'close'] : ['close'], times: 1)]);
    $lease = $lock->resume('k', $token, 20);
    $fake->rules([]);
    check("$what: resumed", $lease !== null);
    is_whole($what, $server, $lease);
    check("$what: a fresh token", $lease->token() !== $token);
    between("$what: the ttl is new", 10000, 20000, $server->cmd('PTTL', 'k'));
    same("$what: release()", true, $lease->release());
}

/* The server stands still until the call has given up. Then it runs the swap, and the commands
 * after it. */
$token = $direct->acquire('k', 60);
$stuck = new RedisLock($server->dsn(), timeout: room(0.2), persistent: false);
$stuck->isLocked('k');
$server->pause();
throws('it is an exception', 'RedisLockConnectionException', '~no answer|timed out~i',
    fn () => $stuck->resume('k', $token, 30));
$server->resume();
eventually('the token is back', fn () => $server->cmd('GET', 'k') === $token);
check('with the TTL of the swap', $server->cmd('PTTL', 'k') <= 30000);
$lease = $direct->resume('k', $token, 60);
check('it is worth what it was', $lease?->isHeld() === true);
same('release()', true, $lease->release());
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
