--TEST--
A test may replace each method of the class in a subclass, with or without its constructor; only a server grants a lease.
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

/* A generator of mocks writes this: each method with its own signature, recording its calls. */
$class = new ReflectionClass(RedisLock::class);
$code = 'class Double extends RedisLock { public array $calls = []; public array $results = [];';
$names = [];
foreach ($class->getMethods() as $method) {
    if ($method->isConstructor()) {
        continue;
    }
    check($method->name . '() may be overridden', !$method->isFinal() && $method->isPublic());
    $parameters = [];
    foreach ($method->getParameters() as $parameter) {
        $default = $parameter->isOptional() ? ' = '
            . var_export($parameter->getDefaultValue(), true) : '';
        $parameters[] = $parameter->getType() . ' $' . $parameter->name . $default;
    }
    $body = $method->isStatic() ? ['stats' => 'return [];', 'token' => 'return "token";',
            'advance' => '', 'flushMemory' => '', 'waitWith' => '',
            'onContention' => ''][$method->name]
        : '$this->calls[] = __FUNCTION__;' . ((string) $method->getReturnType() === 'void' ? ''
            : 'return $this->results[__FUNCTION__] ?? null;');
    $code .= sprintf('public %s function %s(%s): %s { %s }', $method->isStatic() ? 'static' : '',
        $method->name, implode(', ', $parameters),
        $method->getReturnType(), $body);
    $method->isStatic() || $names[] = $method->name;
}
eval("$code }");

foreach ([(new ReflectionClass('Double'))->newInstanceWithoutConstructor(),
        new Double('redis://127.0.0.1:1')] as $double) {
    $double->results = ['acquire' => 'token', 'release' => true, 'extend' => true,
        'synchronized' => 42, 'once' => true, 'isLocked' => false, 'inspectAll' => [],
        'findKeys' => [], 'forceRelease' => true];
    check('it is a RedisLock', $double instanceof RedisLock);
    same('acquire()', 'token', $double->acquire('k', wait: 5));
    same('release()', true, $double->release('k', 'token'));
    same('extend()', true, $double->extend('k', 'token', 5));
    same('lease()', null, $double->lease('k'));
    same('resume()', null, $double->resume('k', 'token'));
    same('synchronized()', 42, $double->synchronized('k', fn () => 1));
    same('once()', true, $double->once('k', fn () => 1, 60));
    same('isLocked()', false, $double->isLocked('k'));
    same('owner()', null, $double->owner('k'));
    same('remaining()', null, $double->remaining('k'));
    same('inspect()', null, $double->inspect('k'));
    same('inspectAll()', [], $double->inspectAll(['k']));
    same('findKeys()', [], $double->findKeys());
    same('forceRelease()', true, $double->forceRelease('k'));
    $double->close();
    same('all methods', [], array_diff($names, $double->calls));
}

/* Methods do not call each other, so replacing one does not change another. */
$server = start_server();
$mine = new class($server->dsn()) extends RedisLock {
    public function acquire(string $key, float $ttl = 30.0, float $wait = 0.0,
        ?string $token = null, ?callable $abort = null): ?string
    {
        throw new LogicException('acquire() was called');
    }

    public function release(string $key, string $token): bool
    {
        throw new LogicException('release() was called');
    }
};
same('synchronized()', 1, $mine->synchronized('k', fn (RedisLockLease $lease) => 1));
same('keys', [], $server->keys());

/* A double of lease() can give one of a real server. */
$double->results['lease'] = (new RedisLock($server->dsn()))->lease('k');
same('lease()', true, $double->lease('k')->isHeld());
same('nothing else makes one', true, (new ReflectionClass(RedisLockLease::class))->isFinal());

done();
?>
--EXPECT--
ok
