<?php

declare(strict_types=1);

namespace RedisLock\Laravel;

use BackedEnum;
use Illuminate\Cache\Limiters\ConcurrencyLimiterBuilder;
use Illuminate\Cache\Repository;
use UnitEnum;

/**
 * Laravel's cache repository, whose funnel() waits in the queue of the extension redislock.
 *
 * @internal
 */
class RedisLockRepository extends Repository
{
    /**
     * At most so many callers at a time, see Funnel. Only where Laravel has Cache::funnel().
     *
     * @param UnitEnum|string $name
     * @return ConcurrencyLimiterBuilder
     */
    public function funnel($name)
    {
        $name = $name instanceof BackedEnum ? (string) $name->value : $name;
        return new Funnel($this, $name instanceof UnitEnum ? $name->name : $name);
    }

    /** @return bool */
    public function supportsTags()
    {
        return $this->store instanceof ValueStore ? $this->store->hasTags()
            : parent::supportsTags();
    }
}
