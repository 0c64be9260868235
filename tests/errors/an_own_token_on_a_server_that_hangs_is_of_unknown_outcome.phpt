--TEST--
An acquire() with a caller's own token and without an answer has an unknown outcome, and its key ends by its TTL.
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
    throws("$state acquire()", 'RedisLockConnectionException',
        '~outcome unknown.*ends? by its TTL~is',
        fn () => $lock->acquire($state, 60, token: 'mine'));
    $server->resume();
    eventually('the SET is run', fn () => $server->cmd('GET', $state) === 'mine');
    usleep(100000);
    same('and not undone', 'mine', $server->cmd('GET', $state));
    between('PTTL', 1, 60000, $server->cmd('PTTL', $state));
}

$server->cmd('SET', 'k', 'mine', 'PX', 60000);
$lock->isLocked('k');
$server->pause();
throws("somebody's lock", 'RedisLockConnectionException', '~outcome unknown~i',
    fn () => $lock->acquire('k', 300, token: 'mine'));
$server->resume();
usleep(100000);
same('is not undone', 'mine', $server->cmd('GET', 'k'));

done();
?>
--EXPECT--
ok
