--TEST--
A storm of interrupts at points of all kinds leaks no object and crashes nothing, with and without JIT.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';

$script = <<<'PHP'
<?php
[, $dsn, $inc, $name, $left_out] = $argv;
require "$inc/renew.inc";
final class Counted
{
    public static int $there = 0;
    public array $p = [];

    public function __construct(public mixed $v = null)
    {
        self::$there++;
    }

    public function __destruct()
    {
        self::$there--;
    }

    public function me(): static
    {
        return $this;
    }

    public function get(): Counted
    {
        return new Counted($this->v);
    }

    public function all(): array
    {
        return ['a' => new Counted(1), 'b' => str_repeat('x', 9), 3];
    }

    public static function make(mixed ...$args): Counted
    {
        return new Counted($args);
    }
}
function id(mixed $x): mixed
{
    return $x;
}
function two(mixed $a, mixed $b = null, mixed ...$c): array
{
    return [$a, $b];
}
function numbers(int $n): Generator
{
    for ($i = 0; $i < $n; $i++) {
        yield $i => new Counted($i);
    }
}
$o = new Counted();
$works = [
    'arguments' => fn () => two($o->get(), id($o->get()))[1]->v,
    'foreach' => function () use ($o) {
        $s = '';
        foreach ($o->all() as $v) {
            $s .= is_object($v) ? $v::class : $v;
        }
        return $s;
    },
    'a generator' => function () use ($o) {
        foreach (numbers(5) as $k => $v) {
            $x = $v->v + $k;
        }
        return $x;
    },
    'properties' => function () use ($o) {
        $o->p['k'][] = $o->get();
        $o->p = [];
        return count($o->all()) + strlen($o->all()['b']);
    },
    'elements and strings' => function () use ($o) {
        $a = [];
        $a['x'] = id($o->get());
        $a[] = $o->get();
        $o->v = id('abc') . id('def');
        return "{$o->v} {$a['x']->v}";
    },
    'chains' => fn () => $o->get()->get()->me()->get()->all()['a'] ?? id($o->get()),
    'match' => fn () => match (true) {
        id(false) => 1,
        $o->get() instanceof ArrayObject => 2,
        default => $o->get(),
    },
    'callbacks' => fn () => $o->get()->v . implode(',', array_map(fn ($x) => $x * 2, range(1, 4))),
    'conditions' => function () use ($o) {
        $x = id($o->get()) ?: id(null);
        $y = $o->get() ? id($o->get()) : id(2);
        return [$x, ...[id($y), $o->get()]];
    },
    'named arguments' => function () use ($o) {
        $made = Counted::make(id(1), $o->get(), n: id($o->get()));
        usort($made->v, fn ($a, $b) => id(0));
        return new Counted(id($o->get()));
    },
    'names at run time' => function () use ($o) {
        $class = 'Counted';
        $method = 'me';
        return (new $class(id($o->get())))->$method()->v;
    },
    'destructuring' => function () use ($o) {
        [$a, [$b]] = [$o->get(), [id($o->get())]];
        unset($a);
        return isset($o->all()['a']->v) && !empty($o->get()->v);
    },
    'a loop that fills' => function () use ($o) {
        $i = 0;
        $s = [];
        while (id($i++) < 6) {
            $s[$i . 'k'] ??= $o->get();
        }
        return (string) count($s) . (int) id('5') . print_r(id(1), true);
    },
    'finally' => function () use ($o) {
        try {
            id($o->get());
            return id($o->get());
        } finally {
            id(3);
        }
    },
    'unpacking' => fn () => [id($o->get()), ...numbers(3)],
];
$lock = new RedisLock($dsn);
$works = array_diff_key($works, array_flip(explode(',', $left_out)));
$thrown = 0;
for ($until = now() + 3; now() < $until;) {
    foreach ($works as $what => $work) {
        $before = Counted::$there;
        try {
            $lease = $lock->lease($name, 0.025, renew: false, interrupt: true);
            for ($end = now() + 1.0; now() < $end;) {
                $result = $work();
                unset($result);
            }
        } catch (RedisLockLostException) {
            $thrown++;
        } catch (RedisLockConnectionException) { // too slow for so short a TTL
        }
        unset($lease, $result);
        $o->p = [];
        $o->v = null;
        same("$what: objects that are left", 0, Counted::$there - $before) || Counted::$there = $before;
    }
}
check('interrupts', $thrown > 5, $thrown);
done();
PHP;
$server = start_server();
$file = "$server->folder/script.inc";
file_put_contents($file, $script);
$runs = ['plain' => [['opcache.enable_cli' => 0], '']];
$on = ini_of_extension('opcache', 'zend_extension');
if ($on !== null) {
    $on += ['opcache.enable_cli' => 1, 'opcache.file_update_protection' => 0, 'opcache.jit_buffer_size' => '16M'];
    $runs['function'] = [$on + ['opcache.jit' => 'function'], ''];
    /* There PHP 8.2 now and then crashes in array_map() when an exception comes from an interrupt, whoever throws it. */
    $runs['tracing'] = [$on + ['opcache.jit' => 'tracing'], 'callbacks'];
}
$children = [];
foreach ($runs as $name => [$ini, $left_out]) {
    $args = [$server->dsn(), dirname(__DIR__) . '/inc', $name, $left_out];
    $children[$name] = new PhpChild(php_command($ini) . " -f $file -- " . implode(' ', array_map(escapeshellarg(...), $args)), []);
}
foreach ($children as $name => $child) {
    same($name, "ok\n", $child->output());
    same("$name: status", 0, $child->status());
}
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
