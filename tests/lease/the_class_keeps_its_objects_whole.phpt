--TEST--
A lease cannot be made, cloned, serialised, extended or given properties by a script.
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
$lease = $lock->lease('k', 20);
$class = new ReflectionClass(RedisLockLease::class);
same('final', true, $class->isFinal());
same('constructor', true, $class->getConstructor()->isPrivate());
throws('new', 'Error', '~private~', fn () => new RedisLockLease());
throws('newInstance()', 'ReflectionException', '~non-public~', fn () => $class->newInstance());
throws('newInstanceArgs()', 'ReflectionException', '~non-public~',
    fn () => $class->newInstanceArgs([]));
throws('newInstanceWithoutConstructor()', 'ReflectionException', '~final~',
    fn () => $class->newInstanceWithoutConstructor());
throws('clone', 'Error', '~uncloneable~', fn () => clone $lease);
throws('serialize()', 'Exception', "~Serialization of 'RedisLockLease' is not allowed~",
    fn () => serialize($lease));
foreach (['O:14:"RedisLockLease":0:{}', 'C:14:"RedisLockLease":0:{}',
        'a:1:{i:0;O:14:"RedisLockLease":0:{}}'] as $bytes) {
    throws('unserialize()', 'Exception',
        '~Unserialization.*RedisLockLease|RedisLockLease.*not allowed~i',
        fn () => unserialize($bytes));
}
throws('a property', 'Error', '~Cannot create dynamic property~', fn () => $lease->name = 'x');
throws('a call of the constructor', 'Error', '~private~', fn () => $lease->__construct());
$class->getConstructor()->invoke($lease);
same('properties', [], get_mangled_object_vars($lease));
matches('extends', '~final~', run_php('class Mine extends RedisLockLease {}'));
is_whole('after all that', $server, $lease);

done();
?>
--EXPECT--
ok
