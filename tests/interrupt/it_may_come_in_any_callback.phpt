--TEST--
An interrupt may come in callbacks of all kinds, output callbacks and error handlers: nothing crashes, and it comes out.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
final class Magic implements ArrayAccess, Countable, IteratorAggregate, JsonSerializable, Stringable
{
    public function __toString(): string { return compute(5.0); }
    public function __get($name): mixed { return compute(5.0); }
    public function __set($name, $value): void { compute(5.0); }
    public function __isset($name): bool { return (bool) compute(5.0); }
    public function __call($name, $args): mixed { return compute(5.0); }
    public static function __callStatic($name, $args): mixed { return compute(5.0); }
    public function __invoke(): mixed { return compute(5.0); }
    public function __serialize(): array { return [compute(5.0)]; }
    public function __clone() { compute(5.0); }
    public function offsetExists($offset): bool { return (bool) compute(5.0); }
    public function offsetGet($offset): mixed { return compute(5.0); }
    public function offsetSet($offset, $value): void { compute(5.0); }
    public function offsetUnset($offset): void { compute(5.0); }
    public function count(): int { return (int) compute(5.0); }
    public function getIterator(): Iterator { return new ArrayIterator([compute(5.0)]); }
    public function jsonSerialize(): mixed { return compute(5.0); }
}
final class SlowStream
{
    public $context;
    public function stream_open($path, $mode, $options, &$opened): bool { return true; }
    public function stream_read($count): string { compute(5.0); return ''; }
    public function stream_eof(): bool { return true; }
    public function stream_stat(): array { return []; }
    public function stream_set_option($option, $arg1, $arg2): bool { return false; }
}
stream_wrapper_register('slow', 'SlowStream');
spl_autoload_register(function (string $class): void {
    str_starts_with($class, 'Slow') && compute(5.0);
});
$magic = new Magic();
$callbacks = [
    'string' => fn () => "$magic", 'get' => fn () => $magic->x, 'set' => fn () => $magic->x = 1, 'isset' => fn () => isset($magic->x),
    'call' => fn () => $magic->x(), 'static call' => fn () => Magic::x(), 'invoke' => fn () => $magic(), 'serialize' => fn () => serialize($magic),
    'clone' => fn () => clone $magic, 'exists' => fn () => isset($magic[1]),
    'offsetGet' => fn () => $magic[1], 'offsetSet' => fn () => $magic[] = 1, 'count' => fn () => count($magic), 'json' => fn () => json_encode($magic),
    'foreach' => function () use ($magic): void {
        foreach ($magic as $x) {
        }
    },
    'list' => fn () => [, $x] = $magic, 'in_array' => fn () => in_array('x', [$magic]), 'implode' => fn () => implode([$magic, $magic]),
    'usort' => function (): void {
        $a = range(1, 10);
        usort($a, fn () => (int) compute(5.0));
    },
    'array_walk' => function (): void {
        $a = [1, 2];
        array_walk($a, fn () => compute(5.0));
    },
    'array_filter' => fn () => array_filter([1, 2], fn () => compute(5.0)), 'array_reduce' => fn () => array_reduce([1], fn () => compute(5.0)),
    'preg_replace_callback' => fn () => preg_replace_callback('~.~', fn () => compute(5.0), 'xyz'),
    'call_user_func' => fn () => call_user_func(compute(...), 5.0), 'iterator_apply' => fn () => iterator_apply($i = new ArrayIterator([1]), fn () => compute(5.0)),
    'iterator_to_array' => fn () => iterator_to_array((fn () => yield compute(5.0))()), 'stream' => fn () => file_get_contents('slow://x'),
    'autoload' => fn () => new SlowClass(), 'class_exists' => fn () => class_exists('SlowerClass'), 'Reflection' => fn () => (new ReflectionFunction('compute'))->invoke(5.0),
    'eval' => fn () => eval('return compute(5.0);'), 'a section' => fn () => $lock->synchronized('section', fn () => compute(5.0)),
    'an error handler' => function (): void {
        set_error_handler(fn () => (bool) compute(5.0));
        try {
            echo $undefined;
        } finally {
            restore_error_handler();
        }
    },
    'an error handler for a deprecation in a call' => function (): void {
        set_error_handler(fn () => (bool) compute(5.0));
        try {
            array_map(fn ($x) => strlen(null) + $x, [1, 2, 3]);
        } finally {
            restore_error_handler();
        }
    },
    'an output callback' => function (): void {
        ob_start(function (string $text): string {
            compute(5.0);
            return '';
        });
        ob_end_clean();
        compute(5.0);
    },
    'an output callback for each byte' => function (): void {
        ob_start();
        ob_start(function (string $text): string {
            compute(0.01);
            return '';
        }, 1);
        try {
            for ($until = now() + 5; now() < $until;) {
                echo 'x';
            }
        } finally {
            ob_end_clean();
            ob_end_clean();
        }
    },
];
foreach ($callbacks as $what => $callback) {
    $lease = watched_lease($lock, 'k', 0.12);
    $server->cmd('DEL', 'k');
    interrupted($what, $callback, 0.1);
    same("$what: output callbacks are gone", 0, ob_get_level());
    unset($lease);
}
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
