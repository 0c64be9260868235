<?php

declare(strict_types=1);

namespace RedisLock\Revolt\Tests;

/** What the README shows works as it is written there. */
final class ReadmeTest extends TestCase
{
    public function testTheExamplesRun(): void
    {
        $readme = (string) file_get_contents(__DIR__ . '/../README.md');
        preg_match_all('~^```php\n(.*?)^```$~ms', $readme, $blocks);
        self::assertCount(6, $blocks[1]);
        $autoload = var_export(dirname(__DIR__) . '/vendor/autoload.php', true);
        $code = "<?php\nrequire $autoload;\n" . implode('', $blocks[1]);
        $code = str_replace('redis://127.0.0.1:6379', self::dsn(), $code);
        /* The second and the third Fiber begin to wait at the same time. */
        $code .= 'sort($done); $lock->release("stock:42", (string) $token);'
            . 'echo implode(", ", $done);'
            . '$stats = RedisLock::stats(); echo ": $stats[acquired] acquired, $stats[held] held";';
        $file = sys_get_temp_dir() . '/redislock-revolt-readme-' . getmypid() . '.php';
        file_put_contents($file, $code);
        $child = proc_open([PHP_BINARY, $file], [1 => ['pipe', 'w'], 2 => ['pipe', 'w']], $pipes);
        self::assertIsResource($child);
        $output = implode('', array_map(stream_get_contents(...), $pipes));
        proc_close($child);
        unlink($file);
        self::assertSame('order 1, order 2, order 3: 5 acquired, 0 held', $output);
    }
}
