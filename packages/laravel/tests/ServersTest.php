<?php

declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use Illuminate\Cache\FailoverStore;
use Illuminate\Contracts\Redis\Factory;
use Illuminate\Events\EventServiceProvider;
use Illuminate\Support\Facades\Cache;
use InvalidArgumentException;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use RedisLock;
use RedisLockConnectionException;
use RuntimeException;

/** The settings of the store. */
final class ServersTest extends TestCase
{
    public function testServersOfTheStoreReplaceThoseOfTheConnection(): void
    {
        $servers = self::dsns();
        foreach ([$servers, implode(' ', $servers)] as $setting) {
            self::application(['cache.stores.redislock.servers' => $setting]);
            $lock = Cache::lock($this->name, 10);
            self::assertTrue($lock->get());
            $prefix = 'app_' . self::prefix();
            foreach ($servers as $dsn) {
                self::assertTrue((new RedisLock($dsn, $prefix))->isLocked($this->name));
            }
            self::assertTrue($lock->release());
        }
    }

    public function testAServerInMemoryNeedsNoRedis(): void
    {
        self::application(['cache.stores.redislock.servers' => 'memory://',
            'database.redis.cache.host' => '/nonexistent']);
        $lock = Cache::lock($this->name, 10);
        self::assertTrue($lock->get());
        self::assertFalse(Cache::lock($this->name, 10)->get());
        self::assertFalse(self::redis()->isLocked($this->name));
        self::assertTrue($lock->release());
    }

    public function testTheFailoverDriverTakesNoLockInItsNextStore(): void
    {
        if (!class_exists(FailoverStore::class)) {
            self::markTestSkipped('this version of Laravel has no driver failover');
        }
        $app = self::application(['database.redis.cache' => ['host' => '/nonexistent'],
            'cache.default' => 'both', 'cache.stores.array' => ['driver' => 'array'],
            'cache.stores.both' => ['driver' => 'failover', 'stores' => ['redislock', 'array']]]);
        $app->register(EventServiceProvider::class);
        $this->expectException(RedisLockConnectionException::class);
        Cache::lock($this->name, 10)->get();
    }

    public function testThePrefixOfTheStore(): void
    {
        self::application(['cache.stores.redislock.prefix' => 'own:']);
        $lock = Cache::lock($this->name, 10);
        self::assertTrue($lock->get());
        self::assertStringStartsWith('own:', self::prefix());
        $redis = new RedisLock(self::dsns()[0] . '?db=1', 'app_' . self::prefix());
        self::assertSame($lock->owner(), $redis->owner($this->name));
        $lock->release();
    }

    public function testALockConnectionOfItsOwn(): void
    {
        $socket = substr(self::dsns()[1], strlen('unix://'));
        self::application([
            'database.redis.locks' => ['host' => $socket, 'port' => 0, 'prefix' => 'locks_'],
            'cache.stores.redislock.lock_connection' => 'locks',
        ]);
        $lock = Cache::lock($this->name, 10);
        self::assertTrue($lock->get());
        $redis = new RedisLock(self::dsns()[1], 'locks_' . self::prefix());
        self::assertTrue($redis->isLocked($this->name));
        $lock->release();
    }

    public function testOptionsMayBeStringsOfDotEnv(): void
    {
        $options = ['timeout' => '0.5', 'wake' => ''];
        self::application(['cache.stores.redislock.options' => $options]);
        self::assertTrue(Cache::lock($this->name, 1)->get());
    }

    public function testBlockThrowsAtOnceWhileRedisIsDown(): void
    {
        $settings = ['cache.stores.redislock.servers' => 'memory://?fail=refused'];
        self::assertLessThan(5.0, $this->secondsOfBlock($settings, 10));
        $settings['cache.stores.redislock.options'] = ['outageWait' => '0.3'];
        $this->assertWaits(0.3, $this->secondsOfBlock($settings, 10));
        $settings['cache.stores.redislock.options'] = ['outageWait' => null];
        $this->assertWaits(1.0, $this->secondsOfBlock($settings, 1));
    }

    private function assertWaits(float $least, float $seconds): void
    {
        self::assertGreaterThanOrEqual($least, $seconds);
        self::assertLessThan($least + 5.0, $seconds);
    }

    /** @param array<string, mixed> $settings */
    private function secondsOfBlock(array $settings, int $wait): float
    {
        self::application($settings);
        $before = hrtime(true);
        try {
            Cache::lock($this->name, 10)->block($wait);
            self::fail('block() has returned');
        } catch (RedisLockConnectionException) {
            return (hrtime(true) - $before) / 1e9;
        }
    }

    public function testTheTlsOfTheConnectionUnlessTheStoreHasItsOwn(): void
    {
        $setting = ['database.redis.cache' => ['scheme' => 'tls', 'host' => 'cache',
            'context' => ['stream' => ['verify_peer' => false]]]];
        self::application($setting);
        self::assertStringContainsString('verify_peer is off',
            print_r(self::store()->getRedisLock(), true));

        $setting['cache.stores.redislock.options'] = ['tls' => ['min_version' => '1.3']];
        self::application($setting);
        self::assertStringNotContainsString('verify_peer',
            print_r(self::store()->getRedisLock(), true));
    }

    /** @return list<array{string, mixed, string}> */
    public static function wrongSettings(): array
    {
        return [
            ['cache.stores.redislock.options', ['timeout' => -1], '$timeout'],
            ['cache.stores.redislock.options', ['read_timeout' => 1], '$read_timeout'],
            ['cache.stores.redislock.servers', '10.0.0.1:6379', 'use redis://host:port'],
            ['database.redis.cache', ['port' => 'six'], 'port'],
        ];
    }

    #[DataProvider('wrongSettings')]
    public function testAWrongSettingIsNamedWithItsStore(
        string $setting,
        mixed $value,
        string $message,
    ): void {
        self::application([$setting => $value]);
        $this->expectException(InvalidArgumentException::class);
        $this->expectExceptionMessageMatches('~\[redislock\].*' . preg_quote($message, '~') . '~');
        Cache::lock($this->name);
    }

    /** Laravel removes all locks by FLUSHDB on the connection of the locks. */
    #[RequiresPhpExtension('redis')]
    public function testFlushingLocksSparesAConnectionThatHasNone(): void
    {
        $socket = substr(self::dsns()[0], strlen('unix://'));
        $settings = ['cache.stores.redislock.lock_connection' => 'other',
            'database.redis.other' => ['host' => $socket, 'port' => 0, 'database' => 2]];
        self::application($settings);
        if (!method_exists(Cache::getStore(), 'flushLocks')) {
            self::markTestSkipped('this version of Laravel does not flush locks');
        }
        self::assertTrue(Cache::lock($this->name, 10)->get());
        self::assertTrue(Cache::getStore()->flushLocks());
        self::assertTrue(Cache::lock($this->name, 10)->get());

        $settings['cache.stores.redislock.servers'] = self::dsns()[1];
        self::application($settings);
        $other = app()->make(Factory::class)->connection('other');
        $other->command('set', ['order', '7']);
        $isRefused = false;
        try {
            Cache::getStore()->flushLocks();
        } catch (RuntimeException) {
            $isRefused = true;
        }
        self::assertSame('7', $other->command('get', ['order']));
        self::assertTrue($isRefused);
    }

    /** On the connection of the values Laravel refuses to empty a database for the locks. */
    #[RequiresPhpExtension('redis')]
    public function testALockConnectionThatHasNoLocksIsNotEmptied(): void
    {
        $socket = substr(self::dsns()[0], strlen('unix://'));
        $dsn = self::dsns()[1];
        foreach (['servers' => $dsn, 'options' => ['servers' => $dsn]] as $name => $setting) {
            self::application(["cache.stores.redislock.$name" => $setting,
                'cache.stores.redislock.lock_connection' => 'other',
                'database.redis.other' => ['host' => $socket, 'port' => 0, 'database' => 2]]);
            self::assertSame('cache', self::store()->lockConnection()->getName(), $name);
            self::assertTrue(Cache::lock($this->name, 10)->get());
            self::assertTrue((new RedisLock($dsn, 'app_' . self::prefix()))
                ->forceRelease($this->name));
        }
    }

    public function testAPhpWithoutTheExtensionIsToldSo(): void
    {
        $folder = sys_get_temp_dir() . "/redislock-ini-$this->name";
        mkdir($folder);
        foreach (explode(',', (string) php_ini_scanned_files()) as $file) {
            $text = (string) file_get_contents(trim($file));
            file_put_contents("$folder/" . basename(trim($file)),
                preg_replace('/^.*redislock.*$/m', '', $text));
        }
        $process = proc_open([PHP_BINARY, __DIR__ . '/waiter.php', $this->name],
            [['pipe', 'r'], ['pipe', 'w'], ['pipe', 'w']], $pipes, null,
            ['PHP_INI_SCAN_DIR' => $folder] + getenv());
        self::assertIsResource($process);
        $output = stream_get_contents($pipes[1]) . stream_get_contents($pipes[2]);
        self::assertNotSame(0, proc_close($process));
        array_map(unlink(...), glob("$folder/*") ?: []);
        rmdir($folder);
        self::assertStringContainsString('The extension redislock is not loaded', $output);
    }
}
