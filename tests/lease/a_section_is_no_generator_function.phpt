--TEST--
A section that is a generator function is refused before any traffic: its code would run after the end of the lock.
--EXTENSIONS--
redislock
--FILE--
<?php
require __DIR__ . '/../inc/check.inc';

final class Sections
{
    public function rows(RedisLockLease $lease): Generator
    {
        yield 1;
    }
}

/* No server: a call that asked it would fail otherwise. */
$lock = new RedisLock('redis://127.0.0.1:1');
$closure = function (RedisLockLease $lease) {
    yield 1;
};
foreach (['a closure' => $closure, 'a method' => [new Sections(), 'rows'],
        'a first class callable' => (new Sections())->rows(...)] as $what => $section) {
    foreach (['synchronized()' => fn () => $lock->synchronized('k', $section),
            'once()' => fn () => $lock->once('k', $section, 60)] as $method => $call) {
        throws("$method, $what", 'ValueError', '~\(\$section\) must not be a generator function~',
            $call);
    }
}

done();
?>
--EXPECT--
ok
