--TEST--
An acquire() with a caller's own token and without an answer leaves nothing behind, and another holder's lock with the same token alone.
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

$server = start_server();
/* By TLS a cold call has sent nothing, because the server takes no part in the handshake. */
foreach (run_folder() === null ? ['warm', 'cold'] : ['warm'] as $state) {
    $lock = new RedisLock($server->dsn(), timeout: room(0.2), connectTimeout: room(0.2));
    $state === 'warm' ? $lock->isLocked('k') : $lock->close();
    $server->pause();
    $pattern = '~the undo that follows releases it~';
    throws("$state acquire()", 'RedisLockConnectionException', $pattern,
        fn () => $lock->acquire($state, 60, token: 'mine'));
    $server->resume();
    usleep(200000);
    eventually('it is undone', fn () => $server->cmd('GET', $state) === null);
}

$server->cmd('SET', 'k', 'mine', 'PX', 60000);
$lock->isLocked('k');
$server->pause();
throws("somebody's lock", 'RedisLockConnectionException', '~no answer within~',
    fn () => $lock->acquire('k', 300, token: 'mine'));
$server->resume();
usleep(100000);
same('is not undone', 'mine', $server->cmd('GET', 'k'));

done();
?>
--EXPECT--
ok
