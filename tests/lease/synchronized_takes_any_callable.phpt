--TEST--
A section may be a function's name, a method, a closure, a first class callable, or an object.
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
final class Sections
{
    public static function fixed(RedisLockLease $lease): string
    {
        return 'static ' . $lease->key();
    }

    public function method(RedisLockLease $lease): string
    {
        return 'method ' . $lease->key();
    }

    public function __invoke(RedisLockLease $lease): string
    {
        return 'invoke ' . $lease->key();
    }

    public function __call(string $name, array $args): string
    {
        return "magic $name " . $args[0]->key();
    }

    public static function __callStatic(string $name, array $args): string
    {
        return "static magic $name " . $args[0]->key();
    }
}
function section(RedisLockLease $lease): string
{
    return 'function ' . $lease->key();
}
$object = new Sections();
foreach (['function k' => 'section', 'static k' => 'Sections::fixed',
    'method k' => [$object, 'method'], 'invoke k' => $object,
    'magic some k' => [$object, 'some'], 'static magic other k' => 'Sections::other',
    'closure k' => fn ($lease) => 'closure ' . $lease->key()] as $expected => $section) {
    same($expected, $expected, $lock->synchronized('k', $section));
}
same('an array of names', 'static k', $lock->synchronized('k', ['Sections', 'fixed']));
same('first class callables', ['function k', 'method k', 'static k', 'magic x k'],
    [$lock->synchronized('k', section(...)),
    $lock->synchronized('k', $object->method(...)), $lock->synchronized('k', Sections::fixed(...)),
    $lock->synchronized('k', $object->x(...))]);
same('an internal function', 'RedisLockLease', $lock->synchronized('k', 'get_class'));
same('without parameters', 'none', $lock->synchronized('k', fn () => 'none'));
same('with more of them', [1, 2],
    $lock->synchronized('k', fn ($lease, $a = 1, ...$rest) => [$a, 2]));
same('called by call_user_func()', 5, call_user_func([$lock, 'synchronized'], 'k', fn () => 5));
same('named arguments', 6, $lock->synchronized(section: fn () => 6, key: 'k'));
$lock->forceRelease('k');
$server->cmd('SET', 'k', 'somebody');
foreach ([[$object, 'some'], 'Sections::other', $object->x(...)] as $magic) {
    throws('a lock that is taken', 'RedisLockTimeoutException', '~"k"~',
        fn () => $lock->synchronized('k', $magic));
}

done();
?>
--EXPECT--
ok
