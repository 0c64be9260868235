<?php

declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use Illuminate\Bus\BusServiceProvider;
use Illuminate\Cache\CacheServiceProvider;
use Illuminate\Config\Repository;
use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Foundation\Application;
use Illuminate\Foundation\Exceptions\Handler;
use Illuminate\Queue\QueueServiceProvider;
use Illuminate\Redis\RedisServiceProvider;
use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\Facade;
use Illuminate\Support\Facades\Redis;
use PHPUnit\Framework\TestCase as PhpUnit;
use RedisLock;
use RedisLock\Laravel\RedisLockServiceProvider;
use RedisLock\Laravel\RedisLockStore;
use RuntimeException;

/** An application with the services that locks and queued jobs need. */
abstract class TestCase extends PhpUnit
{
    private static int $names = 0;

    /** The name of a lock that no other test uses. */
    protected string $name = '';

    protected function setUp(): void
    {
        $this->name = 'lock-' . getmypid() . '-' . ++self::$names;
        self::application();
    }

    protected function tearDown(): void
    {
        app()->flush();
        Facade::clearResolvedInstances();
    }

    /** @param array<string, mixed> $settings with the dots of Laravel's config() */
    public static function application(array $settings = []): Application
    {
        $socket = substr(self::dsns()[0], strlen('unix://'));
        $app = new Application(sys_get_temp_dir());
        $config = new Repository([
            'app' => ['name' => 'test', 'env' => 'testing', 'debug' => true],
            'cache' => [
                'default' => 'redislock',
                'prefix' => 'cache:',
                'stores' => [
                    'redislock' => ['driver' => 'redislock', 'connection' => 'cache'],
                    'redis' => ['driver' => 'redis', 'connection' => 'cache'],
                ],
            ],
            'database' => ['redis' => [
                'client' => 'phpredis',
                'options' => ['prefix' => 'app_'],
                'cache' => ['host' => $socket, 'port' => 0, 'database' => 1],
            ]],
            'queue' => ['default' => 'sync', 'connections' => ['sync' => ['driver' => 'sync']]],
        ]);
        $config->set($settings);
        $app->instance('config', $config);
        $app->instance('env', 'testing');
        $app->singleton(ExceptionHandler::class, Handler::class);
        Facade::clearResolvedInstances();
        Facade::setFacadeApplication($app);
        $providers = [RedisServiceProvider::class, CacheServiceProvider::class,
            BusServiceProvider::class, QueueServiceProvider::class,
            RedisLockServiceProvider::class];
        foreach ($providers as $provider) {
            $app->register($provider);
        }
        $app->boot();
        return $app;
    }

    /** @return list<string> */
    public static function dsns(): array
    {
        $dsns = getenv('REDISLOCK_TEST_DSNS') ?: throw new RuntimeException(
            'REDISLOCK_TEST_DSNS should have the DSNs of three servers');
        return explode(' ', $dsns);
    }

    /** Makes the server refuse all writes, or take them again. */
    protected static function refuseWrites(bool $refuses = true): void
    {
        Redis::connection('cache')->command('config',
            ['SET', 'min-replicas-to-write', $refuses ? '1' : '0']);
    }

    /** The prefix of the store; Laravel 10 adds a colon to the one of its configuration. */
    protected static function prefix(): string
    {
        return Cache::getStore()->getPrefix();
    }

    protected static function store(): RedisLockStore
    {
        $store = Cache::getStore();
        self::assertInstanceOf(RedisLockStore::class, $store);
        return $store;
    }

    /** Locks with the full keys of the tests' application. */
    protected static function redis(): RedisLock
    {
        return self::redisWithKeysOf(self::prefix());
    }

    /** @param string $prefix of the store */
    protected static function redisWithKeysOf(string $prefix): RedisLock
    {
        return new RedisLock(self::dsns()[0] . '?db=1', "app_$prefix");
    }
}
