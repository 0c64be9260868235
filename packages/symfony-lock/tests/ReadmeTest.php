<?php

declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use RedisLock;
use RedisLock\Symfony\OnceMiddleware;
use RedisLock\Symfony\RedisLockStore;
use ReflectionProperty;
use Symfony\Component\Config\FileLocator;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Loader\YamlFileLoader;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\Store\FlockStore;
use Symfony\Component\Messenger\Handler\HandlersLocator;
use Symfony\Component\Messenger\MessageBus;
use Symfony\Component\Messenger\Middleware\HandleMessageMiddleware;
use Symfony\Component\Messenger\Stamp\ReceivedStamp;

/** What the README shows works as it is written there. */
final class ReadmeTest extends TestCase
{
    use Servers;

    private string $folder = '';

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/redislock-readme-' . getmypid();
        mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        array_map(unlink(...), glob("$this->folder/*") ?: []);
        rmdir($this->folder);
        unset($_ENV['REDISLOCK_DSN']);
    }

    /** @return list<string> the code blocks of this language */
    private static function blocks(string $language): array
    {
        $readme = (string) file_get_contents(__DIR__ . '/../README.md');
        preg_match_all("~^```$language\n(.*?)^```$~ms", $readme, $matches);
        return $matches[1];
    }

    /** @return array<string, array{string}> */
    public static function services(): array
    {
        $blocks = self::blocks('yaml');
        $services = $blocks[0] ?? '';
        $named = $blocks[2] ?? '';
        $count = 0;
        $line = '~^ +arguments: .*REDISLOCK_DSN.*\n~m';
        $changed = preg_replace($line, $named, $services, -1, $count);
        self::assertSame(1, $count);
        return ['as they are' => [$services], 'with a limit' => [(string) $changed]];
    }

    #[DataProvider('services')]
    public function testTheServicesReplaceTheFactoryOfTheFramework(string $services): void
    {
        file_put_contents("$this->folder/services.yaml", $services);
        $_ENV['REDISLOCK_DSN'] = implode(' ', self::dsns());
        $container = new ContainerBuilder();
        /* As FrameworkExtension does without a configuration. */
        $container->register('lock.default.factory', LockFactory::class)
            ->addArgument(new FlockStore($this->folder));
        $container->setAlias('lock.factory', 'lock.default.factory')->setPublic(true);
        $container->setAlias(LockFactory::class, 'lock.factory')->setPublic(true);
        (new YamlFileLoader($container, new FileLocator($this->folder)))->load('services.yaml');
        $container->compile(true);

        foreach (['lock.factory', LockFactory::class] as $id) {
            $factory = $container->get($id);
            self::assertInstanceOf(LockFactory::class, $factory);
            $store = (new ReflectionProperty(LockFactory::class, 'store'))->getValue($factory);
            self::assertInstanceOf(RedisLockStore::class, $store);
            $limit = (new ReflectionProperty($store, 'maxWait'))->getValue($store);
            self::assertSame(str_contains($services, 'maxWait') ? 10.0 : INF, $limit);
            $lock = $factory->createLock("readme:$id", 30);
            self::assertTrue($lock->acquire());
            self::assertTrue((new RedisLock(self::dsns()))->isLocked("readme:$id"));
            $lock->release();
        }
    }

    public function testTheAliasStandsInForTheDefaultFactoryThatTheFrameworkLacks(): void
    {
        $blocks = array_slice(self::blocks('yaml'), 0, 2);
        file_put_contents("$this->folder/services.yaml", implode('', $blocks));
        $_ENV['REDISLOCK_DSN'] = self::dsn();
        $container = new ContainerBuilder();
        (new YamlFileLoader($container, new FileLocator($this->folder)))->load('services.yaml');
        $container->getAlias(LockFactory::class)->setPublic(true);
        $container->compile(true);

        $factory = $container->get(LockFactory::class);
        self::assertInstanceOf(LockFactory::class, $factory);
        $lock = $factory->createLock('readme:alias', 30);
        self::assertTrue($lock->acquire());
        self::assertTrue((new RedisLock(self::dsn()))->isLocked('readme:alias'));
        $lock->release();
    }

    public function testTheServicesHaveTheMiddleware(): void
    {
        $services = self::blocks('yaml')[3] ?? '';
        file_put_contents("$this->folder/services.yaml", $services);
        $_ENV['REDISLOCK_DSN'] = self::dsn();
        $container = new ContainerBuilder();
        (new YamlFileLoader($container, new FileLocator($this->folder)))->load('services.yaml');
        $buses = self::blocks('yaml')[4] ?? '';
        self::assertSame(1, preg_match('~middleware:\n *- (\S+)\n~', $buses, $names));
        $container->getDefinition($names[1] ?? '')->setPublic(true);
        $container->compile(true);

        $middleware = $container->get($names[1] ?? '');
        self::assertInstanceOf(OnceMiddleware::class, $middleware);
        $lock = new RedisLock(self::dsn(), 'once:');
        $lock->forceRelease('confirmation:42');
        $isDone = false;
        $handler = function () use ($lock, &$isDone): void {
            $isDone = $lock->isLocked('confirmation:42');
        };
        $bus = new MessageBus([$middleware, new HandleMessageMiddleware(
            new HandlersLocator(['SendConfirmation' => [$handler]]))]);
        $example = implode('', array_filter(self::blocks('php'),
            fn (string $block): bool => str_contains($block, 'OnceStamp')));
        $received = 'new ' . ReceivedStamp::class . '("sync")';
        $code = '<?php final class SendConfirmation { public function __construct(int $order) {} }'
            . str_replace('[new OnceStamp', "[$received, new OnceStamp", "\n$example");
        file_put_contents("$this->folder/example.php", $code);
        /** @psalm-suppress UnresolvableInclude */
        require "$this->folder/example.php";
        self::assertTrue($isDone);
        self::assertTrue($lock->inspect('confirmation:42')?->isDone);
        $lock->forceRelease('confirmation:42');
    }

    public function testTheExamplesOfLocksRun(): void
    {
        $shown = 0;
        $autoload = var_export(dirname(__DIR__) . '/vendor/autoload.php', true);
        $code = "<?php\nrequire $autoload;\n";
        foreach (self::blocks('php') as $block) {
            if (!preg_match('~LockableTrait|OnceStamp~', $block)) {     // symfony/console has it
                $code .= str_replace('redis://127.0.0.1:6379', self::dsn(), $block);
                $shown++;
            }
        }
        self::assertSame(2, $shown);
        $code .= '$stats = RedisLock::stats();'
            . 'echo "$stats[acquired] acquired, $stats[extended] extended, $stats[released] released";';
        $file = "$this->folder/example.php";
        file_put_contents($file, $code);
        $child = proc_open([PHP_BINARY, $file], [1 => ['pipe', 'w'], 2 => ['pipe', 'w']], $pipes);
        self::assertIsResource($child);
        $output = implode('', array_map(stream_get_contents(...), $pipes));
        proc_close($child);
        /* Lock::acquire() sets the TTL with a second command; the handler refreshes it. */
        self::assertSame('2 acquired, 3 extended, 2 released', $output);
    }
}
