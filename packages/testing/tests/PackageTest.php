<?php

declare(strict_types=1);

namespace RedisLock\Testing\Tests;

use PHPUnit\Framework\TestCase;
use PHPUnit\Runner\Extension\Extension;

/** Runs small suites by a PHPUnit of their own, as users do. */
final class PackageTest extends TestCase
{
    private string $folder = '';

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/redislock-testing-' . getmypid();
        mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        array_map(unlink(...), glob("$this->folder/*") ?: []);
        rmdir($this->folder);
    }

    private function needsExtensions(): void
    {
        if (!interface_exists(Extension::class)) {
            self::markTestSkipped('PHPUnit 9.6 has no extensions of this kind');
        }
    }

    /** The lines that the README shows for phpunit.xml. */
    private static function extensions(): string
    {
        $readme = (string) file_get_contents(__DIR__ . '/../README.md');
        self::assertSame(1, preg_match('~^```xml\n(.*?)^```$~ms', $readme, $match));
        return $match[1] ?? '';
    }

    /**
     * @param list<string> $php what PHP gets before PHPUnit
     * @return array{int, string} the exit code and the output
     */
    private function phpunit(string $test, string $extensions = '', array $php = []): array
    {
        $autoload = dirname(__DIR__) . '/vendor/autoload.php';
        file_put_contents("$this->folder/phpunit.xml",
            "<phpunit bootstrap=\"$autoload\" failOnWarning=\"true\">$extensions</phpunit>");
        $command = [PHP_BINARY, ...$php, dirname(__DIR__) . '/vendor/bin/phpunit',
            '--configuration', "$this->folder/phpunit.xml", '--do-not-cache-result', $test];
        $output = "$this->folder/output";
        $child = proc_open($command, [['file', '/dev/null', 'r'], ['file', $output, 'w'],
            ['file', $output, 'a']], $pipes);
        self::assertIsResource($child);
        $code = proc_close($child);
        return [$code, (string) file_get_contents($output)];
    }

    public function testWithoutThePackageATestMeetsTheLocksOfTheOther(): void
    {
        [$code, $output] = $this->phpunit(__DIR__ . '/suites/PlainTest.php');
        self::assertSame(1, $code, $output);
        self::assertStringContainsString('Tests: 2, ', $output);
        self::assertStringContainsString('Failures: 1', $output);
    }

    public function testTheTraitEmptiesTheServersBeforeEachTest(): void
    {
        [$code, $output] = $this->phpunit(__DIR__ . '/suites/TraitTest.php');
        self::assertSame(0, $code, $output);
        self::assertStringContainsString('OK (2 tests', $output);
    }

    public function testTheExtensionEmptiesTheServersBeforeEachTest(): void
    {
        $this->needsExtensions();
        [$code, $output] = $this->phpunit(__DIR__ . '/suites/PlainTest.php', self::extensions());
        self::assertSame(0, $code, $output);
        self::assertStringContainsString('OK (2 tests', $output);
    }

    public function testTheTestOfTheReadmePassesWithTheTrait(): void
    {
        $readme = (string) file_get_contents(__DIR__ . '/../README.md');
        self::assertSame(1, preg_match('~^```php\n(.*?)^```$~ms', $readme, $match));
        file_put_contents("$this->folder/OrderTest.php", "<?php\n" . ($match[1] ?? ''));
        [$code, $output] = $this->phpunit("$this->folder/OrderTest.php");
        self::assertSame(0, $code, $output);
        self::assertStringContainsString('OK (2 tests', $output);
    }

    public function testWithoutThePhpExtensionPhpunitSaysSo(): void
    {
        $this->needsExtensions();
        $needed = array_filter(['dom', 'json', 'libxml', 'mbstring', 'tokenizer', 'xml',
            'xmlwriter', 'ctype', 'phar'],
            static fn (string $name): bool => is_file(ini_get('extension_dir') . "/$name.so"));
        $options = ['-n'];
        foreach ($needed as $name) {
            array_push($options, '-d', "extension=$name");
        }
        [$code, $output] = $this->phpunit(
            __DIR__ . '/suites/PlainTest.php', self::extensions(), $options);
        self::assertNotSame(0, $code, $output);
        self::assertStringContainsString(
            'the PHP extension redislock is not loaded', $output);
    }
}
