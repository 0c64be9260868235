--TEST--
A call that does not get one of its keys, or meets an error, has freed the others when it returns.
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
$lock = new RedisLock($server->dsn());
$section = fn () => check('the section is not called', false);
foreach (['a', 'b', 'c'] as $i => $taken) {
    $server->cmd('SET', $taken, 'somebody', 'PX', 60000);
    same("$taken is taken", null, $lock->lease(['a', 'b', 'c']));
    same("$taken is taken: keys", ["0:$taken"], $server->locks());
    same("$taken is taken, with a wait", null, $lock->lease(['a', 'b', 'c'], wait: 0.05));
    $thrown = throws("$taken is taken: synchronized()", 'RedisLockTimeoutException',
        "~^could not acquire the lock \"$taken\" \(after $i of 3 keys\) within 0\.05 s: it is held by a"
        . ' client without a label for up to (59|60)(\.\d)? s more$~',
        fn () => $lock->synchronized(['c', 'b', 'a'], $section, wait: 0.05));
    same("$taken is taken: getKey()", $taken, $thrown->getKey());
    $thrown = throws("$taken is taken: synchronized() without a wait", 'RedisLockTimeoutException',
        "~^could not acquire the lock \"$taken\" \(after $i of 3 keys\): it is taken$~",
        fn () => $lock->synchronized(['c', 'b', 'a'], $section));
    same("$taken is taken: keys afterwards", ["0:$taken"], $server->locks());
    $server->cmd('DEL', $taken);
}

/* An error at the second key: a wait for a key of another type. */
$server->cmd('RPUSH', 'b', 'x');
$thrown = throws('an error', 'RedisLockServerException', '~WRONGTYPE~',
    fn () => $lock->lease(['a', 'b', 'c'], wait: 1));
same('an error: getKey()', 'b', $thrown->getKey());
same('an error: keys', ['0:b'], $server->locks());
$server->cmd('DEL', 'b');

/* A wait of this thread for its own key. */
$own = $lock->lease('b');
$thrown = throws('its own key', 'RedisLockException', '~"b" would never end~',
    fn () => $lock->lease(['a', 'b', 'c'], wait: 1));
same('its own key: keys', ['0:b'], $server->locks());
unset($own);

/* $abort at the second key. */
$server->cmd('SET', 'b', 'somebody', 'PX', 60000);
throws('$abort', 'RedisLockTimeoutException',
    '~^could not acquire the lock "b" \(after 1 of 3 keys\): the argument \$abort has ended the~',
    fn () => $lock->synchronized(['a', 'b', 'c'], $section, wait: 60,
        abort: fn () => $server->cmd('EXISTS', 'a') === 1));
same('$abort: keys', ['0:b'], $server->locks());

/* A signal handler that throws. */
pcntl_async_signals(true);
pcntl_signal(SIGALRM, fn () => throw new DomainException('stop'));
pcntl_alarm(1);
throws('a handler', 'DomainException', '~stop~', fn () => $lock->lease(['a', 'b', 'c'], wait: 60),
    slack(5.0));
same('a handler: keys', ['0:b'], $server->locks());

done();
?>
--EXPECT--
ok
