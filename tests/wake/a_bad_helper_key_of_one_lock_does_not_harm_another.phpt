--TEST--
Bad helper keys of one lock do not prevent wake-ups of the waiters of another lock.
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
$lock = new RedisLock($server->dsn());
foreach (['rl-wait', 'rl-wake'] as $suffix) {
    $server->cmd('FLUSHALL');
    hold($server, 'spoilt');
    $spoils = in_fork(function () use ($server, $suffix): void {
        queued($server, 1);
        $server->cmd('SET', "spoilt::$suffix", 'value');
        $server->cmd('DEL', 'spoilt');
    });
    matches('a wait that finds out', TOKEN, (string) $lock->acquire('spoilt', 30, 20));
    reap($spoils);
    same('release()', true, $lock->release('spoilt', (string) $server->cmd('GET', 'spoilt')));
    $token = $lock->acquire('k');
    $waiter = waiter($server->dsn(), 'k');
    queued($server, 1);
    same('release()', true, $lock->release('k', $token));
    woken("spoilt::$suffix", $waiter->result());
    $server->cmd('DEL', 'k');
    $token = hold($server, 'k');
    $releases = in_fork(function () use ($server, $token): void {
        queued($server, 1);
        same('release()', true, (new RedisLock($server->dsn()))->release('k', $token));
    });
    $before = RedisLock::stats();
    matches('the next wait of the same connections', TOKEN, (string) $lock->acquire('k', 30, 20));
    same('woken', 1, RedisLock::stats()['wake_ups'] - $before['wake_ups']);
    reap($releases);
}

done();
?>
--EXPECT--
ok
