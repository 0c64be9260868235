<?php

declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use Illuminate\Contracts\Bus\Dispatcher;
use Illuminate\Queue\Middleware\WithoutOverlapping;
use RuntimeException;

/** Overlapping and unique jobs of Laravel, whose locks are those of this package. */
final class QueueTest extends QueueTestCase
{
    private function dispatchWithoutOverlapping(string $name): void
    {
        $middleware = (new WithoutOverlapping($this->name))->releaseAfter(30)->expireAfter(60);
        app(Dispatcher::class)->dispatch((new QueuedJob($name))->through([$middleware]));
    }

    public function testAJobThatOverlapsGoesBackToTheQueue(): void
    {
        $this->dispatchWithoutOverlapping('first');
        $this->dispatchWithoutOverlapping('second');
        $this->setWork(function (QueuedJob $job): void {
            $this->seen[] = $job->name;
            self::assertSame('', $this->workInAnotherProcess());
        });
        self::work();
        $this->assertSeen(['first']);
        self::assertSame(1, self::queued());
        self::assertEqualsWithDelta(30, self::delay(), 10);

        self::goOn(31);
        self::assertSame('', $this->workInAnotherProcess(), 'its clock has not gone on');
        $this->setWork(function (QueuedJob $job): void {
            $this->seen[] = $job->name;
        });
        self::work();
        $this->assertSeen(['first', 'second']);
        self::assertSame(0, self::queued());
    }

    public function testAJobRunsAfterTheFailureOfOneThatItOverlaps(): void
    {
        $this->dispatchWithoutOverlapping('first');
        $this->dispatchWithoutOverlapping('second');
        $this->setWork(fn () => throw new RuntimeException('failed'));
        self::work();
        $this->assertSeen(['exception: failed']);
        self::assertSame('second', $this->workInAnotherProcess());
        self::assertSame('first', $this->workInAnotherProcess());
    }

    public function testAUniqueJobIsInTheQueueOnceUntilItIsDone(): void
    {
        UniqueQueuedJob::dispatch($this->name);
        UniqueQueuedJob::dispatch($this->name);
        self::assertSame(1, self::queued());
        UniqueQueuedJob::dispatch("$this->name-other");
        self::assertSame(2, self::queued());

        $this->setWork(function (QueuedJob $job): void {
            $this->seen[] = $job->name;
            UniqueQueuedJob::dispatch($this->name);
        });
        self::work();
        $this->assertSeen([$this->name]);
        self::assertSame(1, self::queued(), 'while the job runs, no other one is queued');
        UniqueQueuedJob::dispatch($this->name);
        self::assertSame(2, self::queued(), 'the job is done');
    }

    public function testAWorkerOfAnotherProcessFreesTheLockOfAUniqueJob(): void
    {
        UniqueQueuedJob::dispatch($this->name);
        self::assertSame($this->name, $this->workInAnotherProcess());
        UniqueQueuedJob::dispatch($this->name);
        self::assertSame(1, self::queued());
    }

    public function testAUniqueJobStaysUniqueUntilItsLastTry(): void
    {
        $this->setWork(fn () => throw new RuntimeException('failed'));
        UniqueQueuedJob::dispatch($this->name);
        for ($i = 1; $i < 5; $i++) {
            self::work();
            UniqueQueuedJob::dispatch($this->name);
            self::assertSame(1, self::queued(), "after try $i");
        }
        self::work();
        self::assertSame(0, self::queued());
        self::assertContains('failed', $this->seen);
        UniqueQueuedJob::dispatch($this->name);
        self::assertSame(1, self::queued());
    }

    public function testAJobIsUniqueUntilItsProcessing(): void
    {
        UniqueUntilProcessingJob::dispatch($this->name);
        UniqueUntilProcessingJob::dispatch($this->name);
        self::assertSame(1, self::queued());

        $this->setWork(function (QueuedJob $job): void {
            $this->seen[] = $job->name;
            UniqueUntilProcessingJob::dispatch($this->name);
            UniqueUntilProcessingJob::dispatch($this->name);
        });
        self::work();
        self::assertSame(1, self::queued(), 'while the job runs, one other is queued');
        self::assertSame($this->name, $this->workInAnotherProcess());
        UniqueUntilProcessingJob::dispatch($this->name);
        self::assertSame(1, self::queued());
    }
}
