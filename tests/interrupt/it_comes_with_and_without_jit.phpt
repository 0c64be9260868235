--TEST--
Whatever compiles the code, loops, recursion, generators and callbacks are stopped: without opcache, without JIT, with either JIT.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/renew.inc';
skip_without_server();
if (ini_of_extension('opcache', 'zend_extension') === null) { die('skip no opcache'); }
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';

$script = <<<'PHP'
<?php
[, $dsn, $inc, $server, $names] = $argv;
require "$inc/renew.inc";
$lock = new RedisLock($dsn);
$client = new RespClient($server);
function hot(int $n): int { $sum = 0; for ($i = 0; $i < $n; $i++) { $sum += $i % 7; } return $sum; }
function deep(int $n): int { return $n > 50 ? 1 : deep($n + 1) + deep($n + 1); }
function numbers(): Generator { for ($i = 0; ; $i++) { yield $i => $i * 2; } }
final class Node { public int $n = 0; public function step(): static { $this->n++; return $this; } }
$bodies = [
    'hot function' => fn () => hot(PHP_INT_MAX),
    'calls' => function () { while (true) { hot(10); } },
    'recursion' => fn () => deep(0),
    'generator' => function () { foreach (numbers() as $k => $v) {} },
    'yield from' => function () { foreach ((function () { yield from numbers(); })() as $v) {} },
    'closures' => function () { while (true) { array_map(fn ($x) => hot($x), range(1, 50)); } },
    'usort' => function () { while (true) { $a = range(1, 100); usort($a, fn ($x, $y) => $y <=> $x); } },
    'methods' => function () { for ($n = new Node(); ; $n->step()->step()) {} },
    'strings' => function () { for ($s = ''; ; $s .= 'x') { if (strlen($s) > 1000) { $s = ''; } } },
    'nested loops' => function () { while (true) { for ($i = 0; $i < 10; $i++) { for ($j = 0; $j < 10; $j++) { $x[$i][$j] = $i * $j; } } } },
    'try' => function () { while (true) { try { throw new LogicException(); } catch (LogicException) { } finally { $x = 1; } } },
    'references' => function () { $a = [1, 2, 3]; while (true) { foreach ($a as &$x) { $x = ($x + 1) % 10; } unset($x); } },
    /* An exception is in flight: the block ends first, and the loss comes behind it. */
    'finally' => function () {
        try {
            try {
                throw new LogicException('mine');
            } finally {
                for ($until = now() + 0.3; now() < $until;) { hot(100); }
            }
        } catch (LogicException $thrown) {
            same('the exception in flight', 'mine', $thrown->getMessage());
            $GLOBALS['caught'] = true;
        }
        while (true) { hot(10); }
    },
];
foreach ($names === 'all' ? array_keys($bodies) : [$names] as $name) {
    $lease = watched_lease($lock, $name);
    $client->cmd('DEL', $name);
    interrupted($name, $bodies[$name], $name === 'finally' ? 0.6 : 0.1, $name);
    same('an exception in flight was caught', $name === 'finally', isset($caught));
    unset($lease);
}
$jit = function_exists('opcache_get_status') ? opcache_get_status()['jit'] ?? [] : [];
echo 'opcache ', function_exists('opcache_get_status') && opcache_is_script_cached(__FILE__) ? 'on' : 'off', ', jit ', ($jit['on'] ?? false) ? $jit['kind'] : 'off', ', ';
done();
PHP;
$server = start_server();
$file = "$server->folder/script.inc";
file_put_contents($file, $script);
$on = ini_of_extension('opcache', 'zend_extension')
    + ['opcache.enable_cli' => 1, 'opcache.file_update_protection' => 0, 'opcache.jit_buffer_size' => '16M'];
$start = fn (array $ini, string $name) => new PhpChild(php_command($ini) . " -f $file -- "
    . implode(' ', array_map(escapeshellarg(...), [$server->dsn(), dirname(__DIR__) . '/inc', $server->address(), $name])), []);

/*
 * With JIT each in a process of its own: PHP compiles some loops without a look at the VM's flag, and which these are
 * depends on what was compiled before. Then neither signal handlers nor the time limit come. Recursion is always one
 * of them where whole functions are compiled. Left out there, too: what goes on after an interrupt, for PHP then
 * forgets what a loop has in registers. Left out with tracing: closures in array_map(), where PHP 8.2 now and then
 * crashes when an exception comes from an interrupt. Both befall signal handlers as well.
 */
$names = ['hot function', 'calls', 'recursion', 'generator', 'closures', 'usort', 'methods', 'nested loops', 'try', 'finally'];
$runs = [['opcache off, jit off', ['opcache.enable_cli' => 0], 'all'], ['opcache on, jit off', ['opcache.jit' => 'off'] + $on, 'all']];
foreach ($names as $name) {
    $name === 'closures' || $runs[] = ['opcache on, jit 5', ['opcache.jit' => 'tracing'] + $on, $name];
    in_array($name, ['recursion', 'finally'], true) || $runs[] = ['opcache on, jit 0', ['opcache.jit' => 'function'] + $on, $name];
}
/* One after the other, for they take the same keys. */
foreach ($runs as [$what, $ini, $name]) {
    same("$what, $name", "$what, ok\n", $start($ini, $name)->output(20.0));
}

done();
?>
--EXPECT--
ok
