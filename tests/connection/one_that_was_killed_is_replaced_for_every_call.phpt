--TEST--
Every call replaces a connection that the server has closed, without an exception, whether it was idle for long or not.
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

$server = start_server(tcp: true);
$kill = function () use ($server): void {
    foreach ($server->client()->clients() as $client) {
        $server->cmd('CLIENT', 'KILL', 'ID', $client['id']);
    }
};
foreach ([$server->dsn(), $server->tcpDsn()] as $dsn) {
    foreach ([0, 150000] as $pause) {
        $lock = new RedisLock($dsn);
        $lock->isLocked('k');
        $killed = function (callable $call) use ($kill, $pause) {
            $kill();
            usleep($pause);
            return $call();
        };
        matches('acquire()', TOKEN, $token = $killed(fn () => $lock->acquire('k', 20)));
        same('keys', ['0:k'], $server->keys());
        same('refused', null, $killed(fn () => $lock->acquire('k')));
        same('isLocked()', true, $killed(fn () => $lock->isLocked('k')));
        same('owner()', $token, $killed(fn () => $lock->owner('k')));
        check('remaining()', $killed(fn () => $lock->remaining('k')) > 0);
        same('extend()', true, $killed(fn () => $lock->extend('k', $token, 60)));
        same('release()', true, $killed(fn () => $lock->release('k', $token)));
        same('keys', [], $server->keys());
        same('own token', 'mine', $killed(fn () => $lock->acquire('k', 20, token: 'mine')));
        same('forceRelease()', true, $killed(fn () => $lock->forceRelease('k')));
        same('with a wait', true, $killed(fn () => $lock->acquire('k', wait: 1)) !== null);
        same('forceRelease()', true, $lock->forceRelease('k'));
    }
}
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
