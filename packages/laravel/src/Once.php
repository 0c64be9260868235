<?php

declare(strict_types=1);

namespace RedisLock\Laravel;

use DateInterval;
use DateTimeImmutable;
use DateTimeInterface;
use Illuminate\Container\Container;
use Illuminate\Contracts\Cache\Factory;
use Illuminate\Contracts\Queue\Job;
use Illuminate\Queue\Jobs\SyncJob;
use RedisLockTimeoutException;
use RuntimeException;

/**
 * A job middleware that runs the job in RedisLock::once(). The job is skipped if another job of its
 * class with the same key is done, and runs if that job has failed. While another worker runs that
 * job, this one goes back to the queue. On the connection "sync", which has no queue, it throws a
 * RedisLockTimeoutException then.
 */
class Once
{
    private DateTimeInterface|int $releaseAfter = 10;

    /**
     * @param string|int $key what names the work among the jobs of a class, such as an ID
     * @param float $for how long the work is not done again after its end, in seconds
     * @param string|null $store a store of config/cache.php with the driver "redislock"; null = the
     *   default store
     */
    public function __construct(
        private readonly string|int $key,
        private readonly float $for,
        private readonly ?string $store = null,
    ) {
    }

    /**
     * Sets after how many seconds the queue delivers the job again if another worker is at it.
     *
     * @return $this
     */
    public function releaseAfter(DateTimeInterface|DateInterval|int $delay)
    {
        /* Not every queue takes an interval. */
        $this->releaseAfter = $delay instanceof DateInterval
            ? (new DateTimeImmutable('@0'))->add($delay)->getTimestamp() : $delay;
        return $this;
    }

    /**
     * @param object $job
     * @param callable $next
     * @return void
     */
    public function handle($job, $next)
    {
        $store = $this->cacheStore();
        $isEntered = false;
        $undone = new RuntimeException('the job is not done');
        $section = function () use ($job, $next, $undone, &$isEntered): void {
            $isEntered = true;
            $next($job);
            if (self::isReleasedOrFailed($job)) {
                throw $undone;
            }
        };
        try {
            $store->getRedisLock()->once($store->lockKey($this->getLockKey($job)), $section,
                $this->for);
        } catch (RuntimeException $e) {
            if ($e === $undone) {
                return;
            }
            if ($isEntered || !$e instanceof RedisLockTimeoutException
                || !method_exists($job, 'release') || self::isWithoutQueue($job)) {
                throw $e;
            }
            $job->release($this->releaseAfter);
        }
    }

    /**
     * The key, less the prefixes of Laravel's cache.
     *
     * @param object $job
     * @return string
     */
    public function getLockKey($job)
    {
        /** @var mixed $name the class of the listener, for a listener in the queue */
        $name = method_exists($job, 'displayName') ? $job->displayName() : null;
        return 'once:' . (is_string($name) ? $name : $job::class) . ":$this->key";
    }

    private function cacheStore(): RedisLockProvider
    {
        $caches = Container::getInstance()->make(Factory::class);
        return Stores::find($caches, $this->store, 'which the middleware Once needs: its argument'
            . ' "store" can name another store');
    }

    /** A job that has called release() or fail() ends without an exception, but is not done. */
    private static function isReleasedOrFailed(object $job): bool
    {
        /** @var mixed $queued */
        $queued = $job->job ?? null;
        return $queued instanceof Job && ($queued->isReleased() || $queued->hasFailed());
    }

    /** The connection "sync" runs a job at once: a release() of this job would drop it. */
    private static function isWithoutQueue(object $job): bool
    {
        /** @var mixed $queued */
        $queued = $job->job ?? null;
        return $queued instanceof SyncJob;
    }
}
