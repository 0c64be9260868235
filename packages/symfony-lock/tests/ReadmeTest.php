<?php

declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use ArrayObject;
use Closure;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use RedisLock;
use RedisLock\Symfony\LeaseFactory;
use RedisLock\Symfony\OnceMiddleware;
use RedisLock\Symfony\RedisLockStore;
use ReflectionProperty;
use RuntimeException;
use Symfony\Component\Config\FileLocator;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Loader\YamlFileLoader;
use Symfony\Component\Filesystem\Filesystem;
use Symfony\Component\Lock\LockFactory;
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
        (new Filesystem())->remove($this->folder);
        unset($_ENV['REDISLOCK_DSN']);
    }

    /** @return list<string> the code blocks of this language */
    private static function blocks(string $language): array
    {
        $readme = (string) file_get_contents(__DIR__ . '/../README.md');
        preg_match_all("~^```$language\n(.*?)^```$~ms", $readme, $matches);
        return $matches[1];
    }

    /** The one block of this language that has the text. */
    private static function block(string $language, string $text): string
    {
        $found = array_values(array_filter(self::blocks($language),
            static fn (string $block): bool => str_contains($block, $text)));
        self::assertCount(1, $found, "blocks with $text");
        return $found[0];
    }

    /** The services that replace the default factory. */
    private static function defaultServices(): string
    {
        return self::block('yaml', "services:\n    RedisLock\\Symfony\\LeaseFactory:");
    }

    private static function maxWaitOf(LockFactory $factory): float
    {
        $store = (new ReflectionProperty(LockFactory::class, 'store'))->getValue($factory);
        self::assertInstanceOf(RedisLockStore::class, $store);
        $limit = (new ReflectionProperty($store, 'maxWait'))->getValue($store);
        self::assertIsFloat($limit);
        return $limit;
    }

    /** The factory makes leases on the server, with the prefix. */
    private static function assertLeases(?LockFactory $factory, string $prefix = ''): LeaseFactory
    {
        self::assertInstanceOf(LeaseFactory::class, $factory);
        $before = RedisLock::stats()['renewed'];
        $lock = $factory->createLock('readme', 2.4);
        self::assertTrue($lock->acquire());
        $held = new RedisLock(self::dsns());
        self::assertTrue($held->isLocked("{$prefix}readme"));
        for ($i = 0; $i < 200 && RedisLock::stats()['renewed'] === $before; $i++) {
            usleep(50_000);
        }
        self::assertGreaterThan($before, RedisLock::stats()['renewed']);
        $lock->release();
        self::assertFalse($held->isLocked("{$prefix}readme"));
        return $factory;
    }

    /** @return array<string, array{string, float}> */
    public static function services(): array
    {
        $services = self::defaultServices();
        $named = self::block('yaml', '$maxWait: 10 }');
        $count = 0;
        $changed = preg_replace('~^ +arguments: .*\n~m', $named, $services, -1, $count);
        self::assertSame(1, $count);
        return ['as they are' => [$services, INF], 'with a limit' => [(string) $changed, 10.0]];
    }

    private function boot(string $services, mixed $lock): Consumer
    {
        file_put_contents("$this->folder/services.yaml", $services);
        $_ENV['REDISLOCK_DSN'] = implode(' ', self::dsns());
        $kernel = new FrameworkKernel($this->folder, $lock);
        $kernel->boot();
        $consumer = $kernel->getContainer()->get(Consumer::class);
        self::assertInstanceOf(Consumer::class, $consumer);
        $kernel->shutdown();
        restore_exception_handler();
        return $consumer;
    }

    #[DataProvider('services')]
    public function testTheServicesReplaceTheFactoryOfTheFramework(
        string $services,
        float $maxWait,
    ): void {
        $factory = self::assertLeases($this->boot($services, 'flock')->lockFactory);
        self::assertSame($maxWait, self::maxWaitOf($factory));
    }

    public function testTheAliasStandsInForTheDefaultFactoryThatTheFrameworkLacks(): void
    {
        $alias = self::block('yaml', "    Symfony\\Component\\Lock\\LockFactory: '@");
        self::assertLeases($this->boot(self::defaultServices() . $alias, false)->lockFactory);
    }

    /** @return array<string, array{mixed}> */
    public static function frameworkLocks(): array
    {
        return ['none' => [false], 'a default' => ['flock'],
            'the same names' => [['invoice' => 'flock', 'import' => 'flock']]];
    }

    #[DataProvider('frameworkLocks')]
    public function testEachNamedLockIsAService(mixed $lock): void
    {
        $consumer = $this->boot(self::block('yaml', 'lock.invoice.factory:'), $lock);
        $invoice = self::assertLeases($consumer->invoiceLockFactory, 'invoice:');
        self::assertSame(2.0, self::maxWaitOf($invoice));
        $import = self::assertLeases($consumer->importLockFactory, 'import:');
        self::assertSame(30.0, self::maxWaitOf($import));
        self::assertNotInstanceOf(LeaseFactory::class, $consumer->lockFactory);
    }

    public function testAScheduledMessageIsSkippedWhileItsLastRunIsAtWork(): void
    {
        $code = "<?php\nnamespace RedisLock\\Symfony\\Tests\\Readme;\n"
            . self::block('php', 'ImportHandler')
            . 'return static fn (LockFactory $locks): callable => new ImportHandler($locks);';
        file_put_contents("$this->folder/handler.php", $code);
        /**
         * @psalm-suppress UnresolvableInclude
         * @var Closure(LockFactory): (callable(Readme\Import): mixed) $make
         */
        $make = require "$this->folder/handler.php";
        $handler = $make(LeaseFactory::create(self::dsn(), 'import:'));
        /** @var ArrayObject<int, string> $runs */
        $runs = new ArrayObject();
        $next = new Readme\Import('shop', static fn () => $runs->append('the next'));
        $handler(new Readme\Import('shop', static function () use ($runs, $handler, $next): void {
            $runs->append('the first');
            $handler($next);
        }));
        self::assertSame(['the first'], $runs->getArrayCopy());
        $handler($next);
        self::assertSame(['the first', 'the next'], $runs->getArrayCopy());
    }

    public function testTheServicesHaveTheMiddleware(): void
    {
        $services = self::block('yaml', 'redislock.once:');
        file_put_contents("$this->folder/services.yaml", $services);
        $_ENV['REDISLOCK_DSN'] = self::dsn();
        $container = new ContainerBuilder();
        (new YamlFileLoader($container, new FileLocator($this->folder)))->load('services.yaml');
        $buses = self::block('yaml', 'messenger.bus.default:');
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

    public function testAMessageThatIsNotSentLeavesNoLock(): void
    {
        $block = self::block('php', '$bus->dispatch(new BuildReport');
        $code = preg_replace('~\$message = serialize\(\$key\);~',
            'throw new RuntimeException("not sent");', $block, -1, $count);
        self::assertSame(1, $count);
        file_put_contents("$this->folder/send.php", "<?php\n$code");
        $factory = LeaseFactory::create(self::dsn());
        try {
            (function (string $file) use ($factory): void {
                /** @psalm-suppress UnresolvableInclude */
                require $file;
            })("$this->folder/send.php");
            self::fail('the message is sent');
        } catch (RuntimeException $e) {
            self::assertSame('not sent', $e->getMessage());
        }
        self::assertFalse((new RedisLock(self::dsn()))->isLocked('report:7'));
    }

    public function testTheExamplesOfLocksRun(): void
    {
        $shown = 0;
        $autoload = var_export(dirname(__DIR__) . '/vendor/autoload.php', true);
        $code = "<?php\nrequire $autoload;\n";
        foreach (self::blocks('php') as $block) {
            /* These are for symfony/console, or have a test of their own. */
            if (!preg_match('~LockableTrait|OnceStamp|ImportHandler~', $block)) {
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
        /* Of the lock that travels, Lock::acquire() sets the TTL with a second command, and the
           handler refreshes it. */
        self::assertSame('2 acquired, 2 extended, 2 released', $output);
    }
}
