--TEST--
The default label has the pid of the process that draws the token, also after a fork; a label that was set stays.
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
$lock = new RedisLock($server->dsn());
$named = new RedisLock($server->dsn(), label: 'web-3');
matches('acquire()', TOKEN, (string) $lock->acquire('parent'));
$file = test_folder() . '/child';
reap(in_fork(function () use ($lock, $named, $file): void {
    $child = gethostname() . ':' . getmypid();
    $token = (string) $lock->acquire('child');
    same('acquire()', "@$child", substr($token, 28));
    same('token()', "@$child", substr(RedisLock::token(), 28));
    same('lease()', "@$child", substr((string) $lock->lease('lease')?->token(), 28));
    same('a label that was set', '@web-3', substr((string) $named->acquire('named'), 28));
    file_put_contents($file, Checks::$failed . " $child");
}));
[$failed, $child] = explode(' ', file_get_contents($file));
unlink($file);
rmdir(dirname($file));
same('nothing failed in the child', '0', $failed);
same('inspect() of the lock of the child', $child, $lock->inspect('child')->label);
same('of the lock of the parent', gethostname() . ':' . getmypid(),
    $lock->inspect('parent')->label);

done();
?>
--EXPECT--
ok
