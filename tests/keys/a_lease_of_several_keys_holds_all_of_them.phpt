--TEST--
A lease of several keys holds each of them by a token of its own, in the order of their bytes, and frees all of them.
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
$lock = new RedisLock($server->dsn(), prefix: 'app:');
$names = ["b\0", 'a', 'b', "\xff", 'a', '10', '9'];
$sorted = ['10', '9', 'a', 'b', "b\0", "\xff"];
$ends = [
    'release()' => fn (RedisLockLease $lease) => same('release()', true, $lease->release()),
    'the object' => function (RedisLockLease &$lease): void {
        $lease = null;
    },
];
foreach ($ends as $what => $end) {
    $lease = $lock->lease($names, 10);
    same("$what: keys()", $sorted, $lease->keys());
    same("$what: key()", '10', $lease->key());
    $values = array_map(fn ($key) => $server->cmd('GET', "app:$key"), $sorted);
    foreach ($values as $value) {
        matches("$what: value", TOKEN, (string) $value);
    }
    same("$what: tokens", count($sorted), count(array_unique($values)));
    same("$what: isHeld()", true, $lease->isHeld());
    between("$what: remaining()", 9.0 - slack(0.5), 10.0, $lease->remaining());
    same("$what: attempts()", count($sorted), $lease->attempts());
    same("$what: verify()", true, $lease->verify());
    $end($lease);
    same("$what: keys", [], $server->locks());
}

/* One key in an array is one key. */
$one = $lock->lease(['k', 'k']);
same('one: keys()', ['k'], $one->keys());
same('one: token()', $server->cmd('GET', 'app:k'), $one->token());
same('one: detach()', $server->cmd('GET', 'app:k'), $one->detach());
same('one: freed', true, $lock->forceRelease('k'));

/* Gaps in the list, as array_unique() leaves them, and references. */
$name = 'x';
$list = [3 => 'y', 7 => &$name];
same('a list with gaps', ['x', 'y'], $lock->lease($list)->keys());

same('synchronized()', [['x', 'y'], true, true], $lock->synchronized(['y', 'x'],
    fn (RedisLockLease $lease) => [$lease->keys(), $lock->isLocked('x'), $lock->isLocked('y')]));
same('keys', [], $server->locks());

$lease = $lock->lease(['x', 'y']);
$shown = everything_shown($lease);
matches('a dump', '~\["keys"\]=>\s+array\(2\)~', $shown);
check('no dump shows a token', !str_contains($shown, $server->cmd('GET', 'app:y')));

done();
?>
--EXPECT--
ok
