--TEST--
Where disable_classes names a class of the extension, the constructor of RedisLock throws an Error that names the class.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
if (ini_get('disable_classes') === false) {
    die('skip this PHP has no disable_classes');
}
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

/* Would use objects of every class. */
$code = '
    try {
        $lock = new RedisLock("memory://");
        $lease = $lock->lease("k", 60);
        echo get_debug_type($lease), get_debug_type($lock->inspect("k"));
        foreach ([fn () => $lock->lease("k", wait: 1),
                fn () => $lock->synchronized("k", fn () => 1),
                fn () => $lease->release() . $lease->loss()->name . $lease->assertHeld(),
                fn () => (new RedisLock("redis://127.0.0.1:1"))->acquire("k")] as $call) {
            try {
                $call();
                echo "nothing thrown";
            } catch (RedisLockException $e) {
                echo get_class($e);
            }
        }
        echo " all";
    } catch (Error $e) {
        echo get_class($e), ": ", $e->getMessage();
    }';
$run = fn (string $class) => run_php($code, [], [
    'disable_classes' => $class, 'redislock.memory' => '1', 'error_reporting' => '0']);

$classes =
    array_filter(get_declared_classes(), fn ($class) => str_starts_with($class, 'RedisLock'));
check('the classes', count($classes) === 9, $classes);
matches('none is disabled', '~all$~', $run(''));
foreach ($classes as $class) {
    /* Without its methods the class RedisLock does nothing at all. */
    $expected = $class === 'RedisLock' ? 'Error: Call to undefined method RedisLock::lease()'
        : "Error: RedisLock cannot work without the class $class: "
            . 'remove that class from disable_classes in php.ini';
    same($class, $expected, $run($class));
}

done();
?>
--EXPECT--
ok
