--TEST--
Only true ends the wait: false and null let it go on, and every other value is a TypeError.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

class Asked
{
    public int $times = 0;

    public function __call(string $name, array $arguments): bool
    {
        return $name === 'enough' && ++$this->times === 2;
    }

    public static function __callStatic(string $name, array $arguments): bool
    {
        return $name === 'enough';
    }

    public function __invoke(): bool
    {
        return ++$this->times === 2;
    }

    public function &byReference(): bool
    {
        static $answer = true;
        return $answer;
    }
}

$server = start_server();
$lock = new RedisLock($server->dsn());
hold($server, 'k');

foreach ([false, null] as $answer) {
    $took = elapsed(fn () => $lock->acquire('k', wait: 0.3, abort: fn () => $answer), $token);
    same('acquire()', null, $token);
    between('until its deadline: ' . show($answer), 0.3, slack(2.0), $took);
}
$nothing = function (): void {
};
$took = elapsed(fn () => $lock->acquire('k', wait: 0.3, abort: $nothing), $token);
between('until its deadline: void', 0.3, slack(2.0), $took);

foreach (['int' => 1, 'string' => 'yes', 'float' => 0.0, 'array' => [], 'stdClass' => new stdClass,
    'Closure' => fn () => true] as $type => $answer) {
    $calls = [
        'acquire(): Argument #5' => fn () => $lock->acquire('k', wait: 60, abort: fn () => $answer),
        'lease(): Argument #8' => fn () => $lock->lease('k', wait: 60, abort: fn () => $answer),
        'synchronized(): Argument #8' => fn () => $lock->synchronized('k',
            fn () => print "the section was called\n", wait: 60, abort: fn () => $answer),
    ];
    foreach ($calls as $what => $call) {
        throws("$what, $type", 'TypeError', '~^RedisLock::' . preg_quote($what)
            . " \(\\\$abort\) must return a bool or null, $type returned$~", $call, slack(3.0));
    }
}
queued($server, 0);

/* Any callable. */
$asked = new Asked;
foreach (['__call' => [$asked, 'enough'], '__callStatic' => 'Asked::enough', '__invoke' => $asked,
    'first class' => $asked->enough(...), 'by reference' => [$asked, 'byReference'],
    'an internal function' => (new ReflectionFunction('gc_enabled'))->getClosure()]
    as $what => $abort) {
    $asked->times = 0;
    same($what, null, $lock->acquire('k', wait: 60, abort: $abort));
    same("$what, lease()", null, $lock->lease('k', wait: 60, abort: fn () => true));
}

done();
?>
--EXPECT--
ok
