<?php

/* Without strict types, because settings from .env are strings: PHP makes them numbers. */

namespace RedisLock\Laravel;

use Error;
use Illuminate\Cache\CacheManager;
use Illuminate\Cache\Repository;
use Illuminate\Contracts\Config\Repository as Config;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Contracts\Redis\Factory;
use Illuminate\Support\ServiceProvider;
use InvalidArgumentException;
use LogicException;
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

        $servers = self::servers($config);
        $store = new RedisLockStore($app->make(Factory::class), $prefix, $connection, $classes);
        /* To remove all locks, Laravel 13 empties the database of a lock connection that is not the
           connection of the values. The locks on "servers" are not in that database. */
        $store->setLockConnection($servers === [] ? $lockConnection : $connection);
        $store->setRedisLock(self::redisLock(
            $servers === [] ? ConnectionDsn::of($redis, $lockConnection) : $servers,
            ConnectionDsn::prefixOf($redis, $lockConnection),
            $config));
        return $caches->repository($store, $config);
    }

    /**
     * @param array<mixed> $config
     * @return list<string>
     */
    private static function servers(array $config): array
    {
        /** @var list<string>|string $servers */
        $servers = $config['servers'] ?? [];
        return is_array($servers) ? $servers
            : (preg_split('/\s+/', $servers, -1, PREG_SPLIT_NO_EMPTY) ?: []);
    }

    /**
     * @param list<string>|string $servers
     * @param array<mixed> $config
     */
    private static function redisLock(
        array|string $servers,
        string $prefix,
        array $config,
    ): RedisLock {
        if (!extension_loaded('redislock')) {
            throw new LogicException('The extension redislock is not loaded by this PHP ('
                . PHP_SAPI . ', ' . (php_ini_loaded_file() ?: 'no php.ini') . '). Add'
                . ' "extension=redislock" to an ini file that it reads, on Debian and Ubuntu by'
                . ' "phpenmod redislock". PHP-FPM and queue workers need a restart.');
        }
        /** @var array{timeout?: float} $options and other arguments of the constructor */
        $options = $config['options'] ?? [];
        try {
            return new RedisLock($servers, $prefix, ...$options);
        } catch (Error $e) {
            $store = self::text($config['store'] ?? null) ?? 'redislock';
            throw new InvalidArgumentException("The cache store [$store] of config/cache.php, or"
                . ' its lock connection in config/database.php, has a wrong setting: '
                . $e->getMessage(), 0, $e);
        }
    }

    private static function text(mixed $value): ?string
    {
        return is_scalar($value) ? (string) $value : null;
    }
}
