<?php

declare(strict_types=1);

namespace RedisLock\Laravel;

use Illuminate\Cache\CacheManager;
use Illuminate\Cache\Repository;
use Illuminate\Contracts\Config\Repository as Config;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Contracts\Redis\Factory;
use Illuminate\Support\ServiceProvider;
use RedisLock;

/** Adds the driver "redislock" for the stores of config/cache.php. */
class RedisLockServiceProvider extends ServiceProvider
{
    /** @return void */
    public function register()
    {
        $this->callAfterResolving('cache', function (CacheManager $caches): void {
            $caches->extend('redislock', fn (Application $app, array $config): Repository
                => RedisLockServiceProvider::repository($caches, $app, $config));
        });
    }

    /**
     * @internal
     * @param array<mixed> $config the store's array in config/cache.php
     */
    public static function repository(
        CacheManager $caches,
        Application $app,
        array $config,
    ): Repository {
        $settings = $app->make(Config::class);
        $prefix = self::text($config['prefix'] ?? $settings->get('cache.prefix')) ?? '';
        $connection = self::text($config['connection'] ?? null) ?? 'default';
        $lockConnection = self::text($config['lock_connection'] ?? null) ?? $connection;
        /** @var array<array-key, mixed>|bool|null $classes */
        $classes = $settings->get('cache.serializable_classes');
        /** @var array<string, mixed> $redis */
        $redis = $settings->get('database.redis') ?? [];

        $store = new RedisLockStore($app->make(Factory::class), $prefix, $connection, $classes);
        $store->setLockConnection($lockConnection);
        $store->setRedisLock(self::redisLock($redis, $lockConnection, $config));
        return $caches->repository($store, $config);
    }

    /**
     * @param array<string, mixed> $redis the array "redis" of config/database.php
     * @param array<mixed> $config
     */
    private static function redisLock(array $redis, string $connection, array $config): RedisLock
    {
        /** @var list<string>|string|null $servers */
        $servers = $config['servers'] ?? null;
        if (is_string($servers)) {
            $servers = preg_split('/\s+/', $servers, -1, PREG_SPLIT_NO_EMPTY);
        }
        /** @var array{timeout?: float} $options and other arguments of the constructor */
        $options = $config['options'] ?? [];
        return new RedisLock($servers ?: ConnectionDsn::of($redis, $connection),
            ConnectionDsn::prefixOf($redis, $connection), ...$options);
    }

    private static function text(mixed $value): ?string
    {
        return is_scalar($value) ? (string) $value : null;
    }
}
