--TEST--
lease(), resume() and synchronized() of an object whose constructor never ran are an Error.
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

final class Forgot extends RedisLock
{
    public function __construct()
    {
    }
}
$lock = new Forgot();
throws('lease()', 'Error', '~constructor~', fn () => $lock->lease('k'));
throws('resume()', 'Error', '~constructor~', fn () => $lock->resume('k', 'token'));
throws('synchronized()', 'Error', '~constructor~',
    fn () => $lock->synchronized('k', fn () => check('not called', false)));

done();
?>
--EXPECT--
ok
