--TEST--
An interrupt ends a wait for another lock, whose try is undone, and any call of this extension that waits for an answer.
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

require __DIR__ . '/../inc/fake_server.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$server->cmd('SET', 'taken', 'somebody');
$waits = [
    'lease()' => fn () => $lock->lease('taken', wait: 20),
    'acquire()' => fn () => $lock->acquire('taken', wait: 20),
    'synchronized()' => fn () => $lock->synchronized('taken', fn () => check('not here', false), wait: 20),
    'without a queue' => fn () => (new RedisLock($server->dsn(), wake: false, retryDelay: 5, retryMaxDelay: 5))->acquire('taken', wait: 20),
    'a server that is not there' => fn () => (new RedisLock('unix:///nowhere/s'))->acquire('taken', wait: 20),
];
/* A call that waits looks for it once a second at least; it is not woken. */
foreach ($waits as $what => $wait) {
    $lease = watched_lease($lock);
    $server->cmd('DEL', 'k');
    interrupted($what, $wait, 1.1);
    unset($lease);
    same("$what: keys", ['0:taken'], $server->locks());
}

/* A grant that comes at the same moment is given back, or had; it is not forgotten. */
for ($n = 0; $n < 5; $n++) {
    $lease = watched_lease($lock);
    $server->cmd('SET', 'next', 'somebody', 'PX', 90 + 5 * $n);
    $server->cmd('DEL', 'k');
    $won = null;
    interrupted("try $n", function () use ($lock, &$won): void {
        $won = $lock->lease('next', wait: 20);
        compute(5.0);
    }, 1.2);
    $expected = $won === null ? ['0:taken'] : ['0:next', '0:taken'];
    eventually("try $n: its key is there, or is given back", fn () => $server->locks() === $expected, 2.0);
    unset($lease, $won);
}

/* An answer that does not come. */
$slow = start_server();
$lease = watched_lease($lock);
$server->cmd('DEL', 'k');
$other = new RedisLock($slow->dsn(), timeout: 5);
$other->isLocked('k');
$slow->pause();
interrupted('isLocked()', fn () => $other->isLocked('k'), 1.1);
$slow->resume();
unset($lease);
same('it can be used again', false, $other->isLocked('k'));
same('keys', ['0:taken'], $server->locks());

done();
?>
--EXPECT--
ok
