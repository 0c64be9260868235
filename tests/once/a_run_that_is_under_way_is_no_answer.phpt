--TEST--
While another process runs the section, once() waits, and throws when its wait is over.
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
$run = $lock->lease('mail', renew: false);
throws('without a wait', 'RedisLockTimeoutException',
    '~^could not acquire the lock "mail": it is held by \S+ for up to (29\.\d|30) s~',
    fn () => $lock->once('mail', $section, for: 60));
throws('with a wait', 'RedisLockTimeoutException', '~within 0\.1 s: it is held by~',
    fn () => $lock->once('mail', $section, for: 60, wait: 0.1), slack(2.0));
throws('$abort', 'RedisLockTimeoutException', '~the argument \$abort has ended the wait~',
    fn () => $lock->once('mail', $section, for: 60, wait: 60, abort: fn () => true), slack(3.0));
$run->release();
same('keys', [], $server->locks());

/* The run fails: the next in the queue runs. It ends: the next is told. */
$runner = start_php('$lock = new RedisLock($argv[1]);
    try { $lock->once("mail", function () { echo "runs\n"; fgets(STDIN);
        throw new Exception; }, for: 60); } catch (Exception) {}', [$server->dsn()]);
$runner->expect('~runs~');
$code = '$lock = new RedisLock($argv[1]);
    $section = function () { echo "runs\n"; fgets(STDIN); };
    var_dump($lock->once("mail", $section, for: 60, wait: 60));';
$second = start_php($code, [$server->dsn()]);
eventually('the second waits', fn () => $lock->inspect('mail')->waiters === 1, 10.0);
$third = start_php($code, [$server->dsn()]);
eventually('the third waits', fn () => $lock->inspect('mail')->waiters === 2, 10.0);
$runner->tell('go');
$second->expect('~runs~');
$second->tell('go');
same('the second', "runs\nbool(true)\n", $second->output());
same('the third', "bool(false)\n", $third->output());
eventually('helper keys', fn () => $server->keys() === ['0:mail'], 5.0);

done();
?>
--EXPECT--
ok
