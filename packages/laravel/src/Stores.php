<?php

declare(strict_types=1);

namespace RedisLock\Laravel;

use Illuminate\Contracts\Cache\Factory;
use LogicException;

/** @internal */
final class Stores
{
    /**
     * @param string|null $name a store of config/cache.php; null = the default store
     * @param string $remedy the end of the message if the store has another driver
     */
    public static function find(Factory $caches, ?string $name, string $remedy): RedisLockProvider
    {
        $store = $caches->store($name)->getStore();
        if (!$store instanceof RedisLockProvider) {
            $which = $name === null ? 'the default store' : "the store [$name]";
            throw new LogicException("$which of config/cache.php does not have the driver"
                . " \"redislock\", $remedy");
        }
        return $store;
    }
}
