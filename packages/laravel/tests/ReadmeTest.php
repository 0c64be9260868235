<?php

declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use Illuminate\Database\DatabaseServiceProvider;
use Illuminate\Support\Facades\Cache;
use PHPUnit\Framework\Attributes\DataProvider;
use RedisLock\Laravel\Lock;
use RedisLock\Laravel\RedisLockProvider;
use RedisLock\Laravel\RedisLockStore;
use RedisLock\Laravel\ValueStore;
use RuntimeException;

/** The examples of the README. OnceTest runs that of the middleware. */
final class ReadmeTest extends TestCase
{
    /** @return list<string> the PHP blocks that have this text */
    private static function blocks(string $text): array
    {
        $readme = (string) file_get_contents(__DIR__ . '/../README.md');
        preg_match_all('~^```php\n(.*?)^```~ms', $readme, $matches);
        return array_values(array_filter($matches[1],
            fn (string $block): bool => str_contains($block, $text)));
    }

    /** Runs the code, which may use Laravel's facades. */
    private static function runCode(string $code): mixed
    {
        $file = (string) tempnam(sys_get_temp_dir(), 'redislock-readme-');
        file_put_contents($file, '<?php use Illuminate\Support\Facades\{Cache, Schedule};' . "\n"
            . $code);
        try {
            /** @psalm-suppress UnresolvableInclude */
            return require $file;
        } finally {
            unlink($file);
        }
    }

    /** @return list<array{string, class-string}> */
    public static function configurations(): array
    {
        return [['redis', RedisLockStore::class], ['locks', ValueStore::class]];
    }

    /** @param class-string $class */
    #[DataProvider('configurations')]
    public function testAConfigurationMakesAStore(string $name, string $class): void
    {
        $blocks = self::blocks("'stores' => [");
        self::assertCount(2, $blocks);
        $socket = substr(self::dsns()[0], strlen('unix://'));
        $server = ['host' => $socket, 'port' => 0, 'database' => 1];
        foreach ($blocks as $block) {
            /** @var array{stores: array<string, array<string, mixed>>} $config */
            $config = self::runCode("return [$block];");
            if (!isset($config['stores'][$name])) {
                continue;
            }
            self::application(['cache.default' => $name, 'cache.stores' => $config['stores'],
                'database.redis.default' => $server, 'database.redis.cache' => $server,
                'database.default' => 'sqlite',
                'database.connections.sqlite' => ['driver' => 'sqlite', 'database' => ':memory:']])
                ->register(DatabaseServiceProvider::class);
            self::assertInstanceOf($class, Cache::getStore());
            self::assertSame('done', Cache::lock($this->name, 10)->block(5, function (): string {
                self::assertTrue(self::redisWithKeysOf(self::lockPrefix())->isLocked($this->name));
                return 'done';
            }));
            return;
        }
        self::fail("no block of the README has the store $name");
    }

    private static function lockPrefix(): string
    {
        $store = Cache::getStore();
        self::assertInstanceOf(RedisLockProvider::class, $store);
        return $store->lockKey('');
    }

    public function testTheExamplesOfCallbacks(): void
    {
        $blocks = self::blocks('->block(5, function');
        self::assertCount(3, $blocks);
        foreach ($blocks as $block) {
            if (!str_contains($block, 'BuildReport')) {
                self::runCode($block);
            }
        }
        self::assertFalse(self::redis()->isLocked('import'));
        self::assertInstanceOf(Lock::class, Cache::lock('import'));
    }

    /** A queue that is away must not leave the lock of its job. */
    public function testAJobThatIsNotSentLeavesNoLock(): void
    {
        $blocks = self::blocks('BuildReport::dispatch(');
        self::assertCount(1, $blocks);
        $file = (string) tempnam(sys_get_temp_dir(), 'redislock-readme-');
        file_put_contents($file, "<?php\n$blocks[0]\n"
            . 'class BuildReport { public static function dispatch(): void {'
            . ' throw new RuntimeException("the queue is away"); } }');
        try {
            /** @psalm-suppress UnresolvableInclude */
            require $file;
            self::fail('the job is sent');
        } catch (RuntimeException $e) {
            self::assertSame('the queue is away', $e->getMessage());
        } finally {
            unlink($file);
        }
        self::assertFalse(self::redis()->isLocked('report:7'));
    }

    public function testTheExampleOfALeaseWithoutACallback(): void
    {
        $blocks = self::blocks('lockKey(');
        self::assertCount(1, $blocks);
        self::runCode($blocks[0] . "\nreturn 1;");
        self::assertFalse(self::redis()->isLocked('report:7'));
    }
}
