--TEST--
getKey() of each exception returns the key without its prefix, and null where there is none.
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
$lock = new RedisLock($server->dsn(), 'shop:', timeout: slack(0.3));
$server->cmd('SET', 'shop:taken', 'x', 'PX', 60000);
$server->cmd('LPUSH', 'shop:list', 'x');
$key = fn (string $class, callable $call) => throws($class, $class, '~.~', $call)->getKey();
same('a timeout', 'taken', $key('RedisLockTimeoutException',
    fn () => $lock->synchronized('taken', fn () => 1, wait: 0.05)));
same('an error of the server', 'list',
    $key('RedisLockServerException', fn () => $lock->owner('list')));
$lease = $lock->lease("a\0b");
$server->cmd('SET', "shop:a\0b::rl-fence", 'text');
HAS_FENCES && same('an error of the script of fence()', "a\0b",
    $key('RedisLockServerException', fn () => $lease->fence()));
$server->cmd('DEL', "shop:a\0b");
$lease->verify();
same('a lost lease, any bytes', "a\0b",
    $key('RedisLockLostException', fn () => $lease->assertHeld()));
same('a lost section', 's', $key('RedisLockLostException', fn () => $lock->synchronized('s',
    fn () => $server->cmd('DEL', 'shop:s'))));
$again = new RedisLock($server->dsn(), reentrant: true);
$one = $again->lease('twice');
$two = $again->lease('twice');
same('a lease that is held twice', 'twice',
    $key('RedisLockException', fn () => $one->detach()));
same('a wait without end', 'twice', $key('RedisLockException',
    fn () => (new RedisLock($server->dsn()))->lease('twice', wait: 1)));
unset($one, $two, $lease);
$server->kill();
foreach (['acquire' => fn () => $lock->acquire('k'), 'release' => fn () => $lock->release('k', 'x'),
    'lease' => fn () => $lock->lease('k'), 'resume' => fn () => $lock->resume('k', 'x'),
    'inspect' => fn () => $lock->inspect('k')] as $method => $call) {
    same("$method() of a dead server", 'k', $key('RedisLockConnectionException', $call));
}
same('an exception that the script makes', null, (new RedisLockException('x'))->getKey());

done();
?>
--EXPECT--
ok
