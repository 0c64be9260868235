<?php

/* Without strict types, because settings from .env are strings: PHP makes them numbers. */

namespace RedisLock\Laravel;

use Error;
use Illuminate\Cache\CacheManager;
use Illuminate\Cache\Repository;
use Illuminate\Contracts\Cache\Store;
use Illuminate\Contracts\Config\Repository as Config;
use Illuminate\Contracts\Events\Dispatcher;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Contracts\Redis\Factory;
use Illuminate\Queue\Worker;
use Illuminate\Support\ServiceProvider;
use InvalidArgumentException;
use LogicException;
use RedisLock;

/** Adds the driver "redislock" for the stores of config/cache.php, and the commands redislock:*. */
class RedisLockServiceProvider extends ServiceProvider
{
    /** @return void */
    public function register()
    {
        $this->callAfterResolving('cache', function (CacheManager $caches): void {
            $caches->extend('redislock', fn (Application $app, array $config): Repository
                => RedisLockServiceProvider::repository($app, $config));
        });
    }

    /** @return void */
    public function boot()
    {
        if ($this->app->runningInConsole()) {
            $this->commands([ShowCommand::class, ReleaseCommand::class]);
        }
    }

    /**
     * @internal
     * @param array<mixed> $config the store's array in config/cache.php
     */
    public static function repository(Application $app, array $config): Repository
    {
        $settings = $app->make(Config::class);
        $prefix = self::text($config['prefix'] ?? $settings->get('cache.prefix')) ?? '';
        $connection = self::text($config['connection'] ?? null) ?? 'default';
        $lockConnection = self::text($config['lock_connection'] ?? null) ?? $connection;
        /** @var array<array-key, mixed>|bool|null $classes */
        $classes = $settings->get('cache.serializable_classes');
        /** @var array<string, mixed> $redis */
        $redis = $settings->get('database.redis') ?? [];

        $arguments = self::arguments($config, $redis, $lockConnection);
        $hasServers = is_array($arguments['servers']);
        $store = new RedisLockStore($app->make(Factory::class), $prefix, $connection, $classes);
        /* To remove all locks, Laravel 13 empties the database of a lock connection that is not the
           connection of the values. The locks on "servers" are not in that database. */
        $store->setLockConnection($hasServers ? $connection : $lockConnection);
        $store->setRedisLock(self::redisLock($arguments, self::nameOf($config)),
            count((array) $arguments['servers']) === 1, self::isRenewed($config),
            fn (): bool => self::isWorkerToQuit($app));
        $values = self::values($app, $config);
        $repository = new RedisLockRepository(
            $values === null ? $store : new ValueStore($values, $store),
            array_intersect_key($config, ['store' => 0]));
        if (($config['events'] ?? true) && $app->bound(Dispatcher::class)) {
            $repository->setEventDispatcher($app->make(Dispatcher::class));
        }
        return $repository;
    }

    /**
     * @param array<mixed> $config
     * @param array<string, mixed> $redis the array "redis" of config/database.php
     * @return array{servers: list<string>|string, prefix: string} and others, of new RedisLock()
     */
    private static function arguments(array $config, array $redis, string $connection): array
    {
        $options = (array) ($config['options'] ?? []);
        /** @var list<string>|string $servers */
        $servers = $options['servers'] ?? $config['servers'] ?? [];
        unset($options['servers']);
        if (is_string($servers)) {
            $servers = preg_split('/\s+/', $servers, -1, PREG_SPLIT_NO_EMPTY) ?: [];
        }
        $isOfLaravel = $servers === [];
        /** @var array{servers: list<string>|string, prefix: string} */
        return $options + [
            /* As with Laravel's own locks, no worker waits for a Redis that is down. */
            'outageWait' => 0.0,
            'servers' => $isOfLaravel ? ConnectionDsn::of($redis, $connection) : $servers,
            'prefix' => ConnectionDsn::prefixOf($redis, $connection),
            'tls' => $isOfLaravel ? ConnectionDsn::tlsOf($redis, $connection) : [],
        ];
    }

    /**
     * @param array{servers: list<string>|string, prefix: string} $arguments and other arguments of
     *   the constructor
     */
    private static function redisLock(array $arguments, string $store): RedisLock
    {
        if (!extension_loaded('redislock')) {
            throw new LogicException('The extension redislock is not loaded by this PHP ('
                . PHP_SAPI . ', ' . (php_ini_loaded_file() ?: 'no php.ini') . '). Add'
                . ' "extension=redislock" to an ini file that it reads, on Debian and Ubuntu by'
                . ' "phpenmod redislock". PHP-FPM and queue workers need a restart.');
        }
        try {
            return new RedisLock(...$arguments);
        } catch (Error $e) {
            throw new InvalidArgumentException("The cache store [$store] of config/cache.php, or"
                . ' its lock connection in config/database.php, has a wrong setting: '
                . $e->getMessage(), 0, $e);
        }
    }

    /** @param array<mixed> $config */
    private static function isRenewed(array $config): bool
    {
        /** @var mixed $renew */
        $renew = $config['renew'] ?? true;
        $isRenewed = filter_var($renew, FILTER_VALIDATE_BOOLEAN, FILTER_NULL_ON_FAILURE);
        return $isRenewed ?? throw self::wrong($config, '"renew" must be true or false');
    }

    /** Laravel makes the worker for the command queue:work, so elsewhere there is none to ask. */
    private static function isWorkerToQuit(Application $app): bool
    {
        /** @var mixed $worker */
        $worker = $app->resolved('queue.worker') ? $app->make('queue.worker') : null;
        return $worker instanceof Worker && $worker->shouldQuit;
    }

    /**
     * The store that "value_store" names.
     *
     * @param array<mixed> $config the store's array in config/cache.php
     * @return Store|null null = the values are in Redis
     */
    private static function values(Application $app, array $config): ?Store
    {
        $store = self::nameOf($config);
        /** @var array<string, array<string, mixed>> $stores */
        $stores = $app->make(Config::class)->get('cache.stores') ?? [];
        $problem = null;
        if (isset($stores[$store]) && ($stores[$store]['driver'] ?? null) !== 'redislock') {
            /* Laravel itself sets "store" to the name of the store, for the events of the cache. */
            $problem = "it has the setting \"store\", which Laravel uses itself: the store of the"
                . ' values is named by "value_store"';
        }
        $name = self::text($config['value_store'] ?? null);
        if ($name !== null && $name !== 'null' && !isset($stores[$name])) {
            $problem = "there is no store [$name], which \"value_store\" names";
        } elseif ($name !== null && ($stores[$name]['driver'] ?? null) === 'redislock') {
            $problem = "\"value_store\" names [$name], a store of the driver \"redislock\" like"
                . ' this one: name the store that has the values';
        }
        if ($problem !== null) {
            throw self::wrong($config, $problem);
        }
        return $name === null ? null : $app->make(CacheManager::class)->store($name)->getStore();
    }

    /** @param array<mixed> $config */
    private static function wrong(array $config, string $problem): InvalidArgumentException
    {
        return new InvalidArgumentException('The cache store [' . self::nameOf($config)
            . "] of config/cache.php has a wrong setting: $problem");
    }

    /**
     * The name of the store, which Laravel adds to its array.
     *
     * @param array<mixed> $config
     */
    private static function nameOf(array $config): string
    {
        return self::text($config['store'] ?? null) ?? 'redislock';
    }

    private static function text(mixed $value): ?string
    {
        return is_scalar($value) ? (string) $value : null;
    }
}
