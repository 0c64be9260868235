--TEST--
lease() accepts a caller's own token: at the first try, after a wait, and for a lock that is taken.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$lease = $lock->lease('k', 20, token: 'order 17');
is_whole('at once', $server, $lease);
same('token()', 'order 17', $lease->token());
same('owner()', 'order 17', $lock->owner('k'));
same('verify()', true, $lease->verify());
same('extend()', true, $lease->extend(30));
same('taken', null, $lock->lease('k', token: 'order 18'));
same('taken, with the same token', null, $lock->lease('k', token: 'order 17'));
same('release()', true, $lease->release());

/* null is a fresh one. */
matches('null', TOKEN, $lock->lease('k', token: null)->token());

/* A waiter is woken, and has the token that was given. */
$token = hold($server, 'k');
$ttl = room(0.6);
$waiter = start_php('
    $lease = (new RedisLock($argv[1]))->lease("k", (float) $argv[2], 20, token: "order 17");
    echo $lease->token(), ", ", $lease->isHeld() ? "held" : "lost", ", ",
        $lease->verify() ? "verified" : "gone", "\n";
    fgets(STDIN);
    echo $lease->isHeld() ? "held" : "lost";', [$server->dsn(), $ttl]);
queued($server, 1);
same('release() of the holder', true, $lock->release('k', $token));
$waiter->expect('~order 17, held, verified~');
same('the key', 'order 17', $server->cmd('GET', 'k'));
usleep((int) (1.5e6 * $ttl)); // longer than its TTL: it is renewed
same('the key then', 'order 17', $server->cmd('GET', 'k'));
$waiter->tell('end');
matches('renewed', '~\nheld$~D', $waiter->output());
same('keys', [], $server->keys());

/* Without waking too. */
$polling = new RedisLock($server->dsn(), wake: false);
$server->cmd('SET', 'k', 'somebody', 'PX', 200);
$lease = $polling->lease('k', 20, 20, token: 'order 19');
is_whole('polled', $server, $lease);
same('its token', 'order 19', $lease->token());
unset($lease);

/* A lock that is entered again keeps the token that it has. */
$reentrant = new RedisLock($server->dsn(), reentrant: true);
$outer = $reentrant->lease('k', token: 'outer');
$inner = $reentrant->lease('k', token: 'inner');
same('entered again', 'outer', $inner->token());
unset($inner, $outer);
same('keys in the end', [], $server->keys());

done();
?>
--EXPECT--
ok
