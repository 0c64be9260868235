--TEST--
A failed release() of a drawn token is repeated until the server confirms it; that of a caller's own token is not.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_on_cluster('a node cannot be made a replica');
?>
--FILE--
<?php
require __DIR__ . '/../inc/outage.inc';
require __DIR__ . '/../inc/renew.inc';

$server = start_server();
$lock = new RedisLock($server->dsn(), 'p:', timeout: min(room(0.4), 0.6 * OUTAGE));
postponed();
same('threads before', 1, threads());
foreach (outages() as $name => $outage) {
    $token = $lock->acquire('k', 60);
    freed_after_outage($name, $server, $outage,
            function () use ($lock, $token, $outage, $name): void {
        throws($name, $outage[2], '~.~', fn () => $lock->release('k', $token));
        same("$name: extend() is refused", false, $lock->extend('k', $token, 30));
        same("$name: so is resume()", null, $lock->resume('k', $token));
        throws("$name: and to take it again with this token", 'RedisLockException',
            '~"k".*fresh token~', fn () => $lock->acquire('k', token: $token));
        throws("$name: nor as a lease", 'RedisLockException', '~"k".*fresh token~',
            fn () => $lock->lease('k', token: $token));
    }, 'p:k');
    eventually("$name: nothing is repeated any more", fn () => ($now = postponed())[0] === $now[1]);
    same("$name: the token is not special then", $token, $lock->acquire('k', token: $token));
    same("$name: the next release", true, $lock->release('k', $token));
}
same('repeated, done, dropped', [3, 3, 0], postponed());
same('threads', 2, threads());

[$begin, $end] = outages()['READONLY'];
$ignored = $lock->acquire('k', 60, token: 'my own');
$begin($server);
throws('an own token', 'RedisLockServerException', '~READONLY~',
    fn () => $lock->release('k', 'my own'));
$end($server);
usleep(200_000);
same('an own token is left alone', 'my own', $server->cmd('GET', 'p:k'));
same('and not counted', [3, 3, 0], postponed());
same('nor refused', true, $lock->extend('k', 'my own', 5));

/* A lock that another holder has taken over meanwhile is left alone, and not released again. */
$token = $lock->acquire('l', 60);
$begin($server);
throws('taken over', 'RedisLockServerException', '~READONLY~',
    fn () => $lock->release('l', $token));
$end($server);
$server->cmd('SET', 'p:l', 'theirs');
eventually('the repetition ends', fn () => postponed() === [4, 4, 0]);
same('theirs', 'theirs', $server->cmd('GET', 'p:l'));

done();
?>
--EXPECT--
ok
