--TEST--
At the deadline, never before it, a wait returns null and removes its place and its mark, so that the release wakes no waiter.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$wait = room(0.4);
foreach ([null, 'mine'] as $own) {
    $token = hold($server, 'k');
    $gives_up = waiter($server->dsn(), 'k', ['wait' => $wait, 'token' => $own]);
    queued($server, 1);
    same('one who waits', 1, count(marked($server, 'k')));
    $result = $gives_up->result();
    same('null', [null, null], [$result['token'], $result['error']]);
    between('not before the deadline', $wait, $wait + slack(1.1), $result['took']);
    same('nobody is marked', [], marked($server, 'k'));
    queued($server, 0);
    same('release()', true, (new RedisLock($server->dsn()))->release('k', $token));
    same('keys', [], $server->keys());
}

/* The later waiter is next. */
$token = hold($server, 'k');
$gives_up = waiter($server->dsn(), 'k', ['wait' => $wait]);
queued($server, 1);
$next = waiter($server->dsn(), 'k');
queued($server, 2);
same('null', null, $gives_up->result()['token']);
same('the next is marked', 1, count(marked($server, 'k')));
same('release()', true, (new RedisLock($server->dsn()))->release('k', $token));
woken('the next', $next->result());

done();
?>
--EXPECT--
ok
