<?php

declare(strict_types=1);

namespace RedisLock\Revolt\Tests;

use RuntimeException;

/**
 * The waiters of docs/event-loops.md do what the page says, as they are written there, with the
 * real libraries. The programs are below programs/.
 */
final class EventLoopsPageTest extends TestCase
{
    /** In a second, of a timer of 10 ms, also on a busy machine; a loop that stands has 2. */
    private const TICKS = 20;

    private string $file = '';

    protected function setUp(): void
    {
        parent::setUp();
        $this->file = sys_get_temp_dir() . '/redislock-event-loops-' . getmypid() . '.php';
    }

    protected function tearDown(): void
    {
        if (is_file($this->file)) {
            unlink($this->file);
        }
    }

    public function testRevolt(): void
    {
        $facts = $this->facts('Revolt and amphp', 'revolt');
        self::assertGreaterThan(self::TICKS, $facts['ticks beside a Fiber'] ?? 0);
        self::assertGreaterThan(self::TICKS, $facts['ticks beside {main}'] ?? 0);
        unset($facts['ticks beside a Fiber'], $facts['ticks beside {main}']);
        self::assertSame(['a wait in a Fiber' => null, 'a wait in {main}' => null,
            'entered' => 50, 'overlaps' => 0], $facts);
    }

    public function testReactPhp(): void
    {
        $facts = $this->facts('ReactPHP', 'react');
        self::assertGreaterThan(self::TICKS, $facts['ticks beside a Fiber'] ?? 0);
        unset($facts['ticks beside a Fiber']);
        self::assertSame(['a wait in a Fiber' => null, 'a wait in {main}' => null,
            'ticks beside {main}' => 0, 'waiters before' => 1,
            'cancelled' => 'RuntimeException: cancelled', 'waiters after' => 0,
            'entered' => 50, 'overlaps' => 0], $facts);
    }

    public function testReactPhpRunsItsLoopInAShutdownFunction(): void
    {
        $facts = $this->facts('ReactPHP', 'react_at_shutdown');
        self::assertGreaterThan(self::TICKS, $facts['ticks beside it'] ?? 0);
        unset($facts['ticks beside it'], $facts['ticks']);
        self::assertSame(['lost' => 'Deleted', 'before the end of the script' => false,
            'a wait' => null], $facts);
    }

    public function testSwoole(): void
    {
        $options = self::swoole();
        if ($options === null) {
            self::markTestSkipped('this PHP has no extension swoole');
        }
        $facts = $this->facts('Swoole and Hyperf', 'swoole', $options);
        self::assertGreaterThan(self::TICKS, $facts['ticks beside it'] ?? 0);
        unset($facts['ticks beside it']);
        self::assertSame(['a wait in {main}' => null, 'a wait in a coroutine' => null,
            'waiters before' => 1, 'cancelled' => 'RuntimeException: cancelled',
            'waiters after' => 0, 'entered' => 100, 'overlaps' => 0, 'waiting' => 100,
            'overlaps of a re-entrant object' => 0], $facts);
    }

    /** @return list<string>|null the options with which PHP has Swoole, or null */
    private static function swoole(): ?array
    {
        if (extension_loaded('swoole')) {
            return [];
        }
        foreach ([getenv('REDISLOCK_TEST_SWOOLE'), PHP_EXTENSION_DIR . '/swoole.so'] as $file) {
            if (is_string($file) && is_file($file)) {
                return ['-d', "extension=$file"];
            }
        }
        return null;
    }

    /** The waiter below this heading of the page. */
    private static function waiter(string $heading): string
    {
        $folder = getenv('REDISLOCK_TEST_DOCS') ?: throw new RuntimeException(
            'REDISLOCK_TEST_DOCS should have the folder docs of the extension');
        $page = (string) file_get_contents("$folder/event-loops.md");
        $found = preg_match(
            "~^## $heading\n(?:(?!^## ).*\n)*?```php\n((?:.*\n)*?)```$~m", $page, $m);
        self::assertSame(1, $found, "$heading has a waiter");
        return $m[1] ?? '';
    }

    /**
     * Runs the program after the waiter.
     *
     * @param list<string> $options of PHP
     * @return array<array-key, mixed> its facts
     */
    private function facts(string $heading, string $program, array $options = []): array
    {
        $folder = var_export(__DIR__, true);
        $waiter = self::waiter($heading);
        $values = var_export([self::dsn(), $this->name], true);
        file_put_contents($this->file, "<?php
            require $folder . '/../vendor/autoload.php';
            function_exists('React\\Async\\async') || require $folder . '/programs/react_async.inc';
            [\$dsn, \$name] = $values;
            \$facts = [];
            /* After the loop that ReactPHP runs in a shutdown function. */
            register_shutdown_function(function () use (&\$facts): void {
                register_shutdown_function(function () use (&\$facts): void {
                    echo PHP_EOL, 'facts: ', json_encode(\$facts), PHP_EOL;
                });
            });
            $waiter
            require $folder . '/programs/$program.inc';");
        $command = [PHP_BINARY, ...$options, $this->file];
        $child = proc_open($command, [1 => ['pipe', 'w'], 2 => ['pipe', 'w']], $pipes);
        self::assertIsResource($child);
        $output = implode('', array_map(stream_get_contents(...), $pipes));
        proc_close($child);
        self::assertSame(1, preg_match('~^facts: (.*)$~m', $output, $m), $output);
        $this->assertNothingIsLeft();
        $facts = json_decode($m[1] ?? '', true);
        self::assertIsArray($facts, $output);
        return $facts;
    }
}
