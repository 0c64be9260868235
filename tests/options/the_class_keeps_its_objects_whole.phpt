--TEST--
Objects cannot be cloned, serialised, given properties, constructed twice or used unconstructed; the class can be extended.
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
throws('clone', 'Error', '~clon~i', fn () => clone $lock);
throws('serialize()', 'Exception', '~serializ~i', fn () => serialize($lock));
throws('unserialize()', 'Exception', '~serializ~i', fn () => unserialize('O:9:"RedisLock":0:{}'));
throws('a property', 'Error', '~dynamic property~i', function () use ($lock): void {
    $lock->x = 1;
});
throws('constructed twice', 'Error', '~construct|already~i',
    fn () => $lock->__construct($server->dsn()));
matches('it still works', TOKEN, $lock->acquire('k'));

$calls = fn ($object) => [
    'acquire' => fn () => $object->acquire('k'), 'release' => fn () => $object->release('k', 't'),
    'extend' => fn () => $object->extend('k', 't', 1),
    'isLocked' => fn () => $object->isLocked('k'), 'owner' => fn () => $object->owner('k'),
    'remaining' => fn () => $object->remaining('k'), 'inspect' => fn () => $object->inspect('k'),
    'inspectAll' => fn () => $object->inspectAll(['k']),
    'findKeys' => fn () => $object->findKeys(),
    'once' => fn () => $object->once('k', fn () => 1, 1),
    'forceRelease' => fn () => $object->forceRelease('k'), 'close' => fn () => $object->close(),
];
class Unmade extends RedisLock
{
    public function __construct()
    {
    }
}
class Failed extends RedisLock
{
    public static ?self $kept = null;

    public function __construct()
    {
        self::$kept = $this;
        parent::__construct('http://nowhere');
    }
}
try {
    new Failed();
} catch (ValueError) {
}
foreach ([new Unmade(), (new ReflectionClass('RedisLock'))->newInstanceWithoutConstructor(),
        Failed::$kept] as $object) {
    foreach ($calls($object) as $name => $call) {
        throws("$name() of an object that was not constructed", 'Error',
            '~construct|initiali~i', $call);
    }
}

class Shop extends RedisLock
{
    public array $seen = [];

    public function acquire(string $key, float $ttl = 30.0, float $wait = 0.0,
        ?string $token = null, ?callable $abort = null): ?string
    {
        $this->seen[] = $key;
        return parent::acquire("shop:$key", $ttl, $wait, $token);
    }
}
$shop = new Shop($server->dsn());
matches('a subclass', TOKEN, $shop->acquire('k2'));
same('its key', ['0:k', '0:shop:k2'], $server->keys());
same('its property', ['k2'], $shop->seen);
throws('its clone', 'Error', '~clon~i', fn () => clone $shop);
throws('its serialize()', 'Exception', '~serializ~i', fn () => serialize($shop));

done();
?>
--EXPECT--
ok
