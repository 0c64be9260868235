<?php

declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use Illuminate\Bus\UniqueLock;
use Illuminate\Console\Scheduling\CacheEventMutex;
use Illuminate\Console\Scheduling\Event;
use Illuminate\Contracts\Cache\Factory;
use Illuminate\Contracts\Cache\Repository;
use Illuminate\Contracts\Queue\ShouldBeUnique;
use Illuminate\Queue\Middleware\WithoutOverlapping;
use Illuminate\Support\Facades\Cache;

/** What Laravel builds on locks: overlapping jobs, unique jobs and the scheduler. */
final class JobsTest extends TestCase
{
    public function testJobsDoNotOverlap(): void
    {
        $middleware = (new WithoutOverlapping($this->name))->expireAfter(60)->releaseAfter(5);
        $first = new Job();
        $second = new Job();
        $middleware->handle($first, function () use ($middleware, $second): void {
            $middleware->handle($second, fn () => self::fail('the jobs overlap'));
        });
        self::assertSame(5, $second->releasedAfter);
        self::assertNull($first->releasedAfter);
        $hasRun = false;
        $middleware->handle($second, function () use (&$hasRun): void {
            $hasRun = true;
        });
        self::assertTrue($hasRun);
    }

    public function testAUniqueJobIsUniqueUntilItIsDone(): void
    {
        $job = new UniqueJob($this->name);
        $lock = new UniqueLock(app(Repository::class));
        self::assertTrue($lock->acquire($job));
        self::assertFalse($lock->acquire(new UniqueJob($this->name)));
        self::assertTrue($lock->acquire(new UniqueJob("$this->name-other")));
        $lock->release($job);
        self::assertTrue($lock->acquire($job));
        $lock->release($job);
    }

    public function testAUniqueJobIsDispatchedOnce(): void
    {
        UniqueJob::forgetRuns();
        UniqueJob::dispatch($this->name, $this->name);
        self::assertSame(["$this->name: inner was not run"], UniqueJob::$runs);
        UniqueJob::dispatch($this->name);
        self::assertCount(2, UniqueJob::$runs, 'the first job is done');
    }

    public function testTheSchedulerDoesNotOverlap(): void
    {
        $mutex = new CacheEventMutex(app(Factory::class));
        $event = new Event($mutex, "command $this->name");
        $event->expiresAt = 10;
        self::assertFalse($mutex->exists($event));
        self::assertTrue($mutex->create($event));
        self::assertFalse($mutex->create($event));
        self::assertTrue($mutex->exists($event));
        self::assertLessThanOrEqual(600, self::redis()->remaining($event->mutexName()));
        $mutex->forget($event);
        self::assertFalse($mutex->exists($event));
    }

    public function testTheCacheRunsACallbackWithoutOverlapping(): void
    {
        $repository = Cache::store();
        if (!method_exists($repository, 'withoutOverlapping')) {
            self::markTestSkipped('this version of Laravel has no Cache::withoutOverlapping()');
        }
        $isLocked = $repository->withoutOverlapping($this->name,
            fn (): bool => self::redis()->isLocked($this->name), 10, 1);
        self::assertTrue($isLocked);
        self::assertFalse(self::redis()->isLocked($this->name));
    }
}
