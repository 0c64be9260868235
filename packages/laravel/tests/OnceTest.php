<?php

declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use DateInterval;
use Illuminate\Contracts\Bus\Dispatcher;
use Illuminate\Events\CallQueuedListener;
use LogicException;
use RedisLock\Laravel\Once;
use RedisLockTimeoutException;
use ReflectionClass;
use RuntimeException;
use stdClass;

/** Jobs with the middleware Once. */
final class OnceTest extends QueueTestCase
{
    private function dispatch(string $name, ?Once $middleware = null, ?QueuedJob $job = null): void
    {
        $job ??= new QueuedJob($name);
        $job->through([$middleware ?? new Once($this->name, for: 60)]);
        app(Dispatcher::class)->dispatch($job);
    }

    private function key(): string
    {
        return 'once:' . QueuedJob::class . ":$this->name";
    }

    private function isDone(): bool
    {
        return self::redis()->inspect($this->key())?->isDone === true;
    }

    public function testAJobThatIsDoneIsSkipped(): void
    {
        $this->dispatch('first');
        $this->dispatch('second');
        self::work();
        self::assertTrue($this->isDone());
        self::assertEqualsWithDelta(60, self::redis()->remaining($this->key()), 30);
        self::assertSame('', $this->workInAnotherProcess());
        $this->assertSeen(['first']);
        self::assertSame(0, self::queued(), 'the second is no longer in the queue');

        $this->dispatch('third');
        $this->dispatch('another', new Once("$this->name-other", for: 60));
        $this->dispatch('of another class', job: new UniqueQueuedJob('of another class'));
        self::work();
        self::work();
        self::work();
        $this->assertSeen(['first', 'another', 'of another class']);
    }

    public function testAJobThatHasFailedRunsAgain(): void
    {
        $this->setWork(function (QueuedJob $job): void {
            $this->seen[] = $job->name;
            if ($job->attempts() === 1) {
                throw new RuntimeException('the first try');
            }
        });
        $this->dispatch('first');
        self::work();
        $this->assertSeen(['first', 'exception: the first try']);
        self::assertFalse(self::redis()->isLocked($this->key()));
        $this->dispatch('second');
        self::work();
        self::work();
        $this->assertSeen(['first', 'exception: the first try', 'first']);
        self::assertSame(0, self::queued());
    }

    public function testAnotherJobRunsAfterTheLastTryOfTheFirst(): void
    {
        $this->setWork(fn () => throw new RuntimeException('broken'));
        $job = new QueuedJob('first');
        $job->tries = 1;
        $this->dispatch('first', job: $job);
        $this->dispatch('second');
        self::work();
        $this->assertSeen(['failed', 'exception: broken']);
        self::assertSame('second', $this->workInAnotherProcess());
        self::assertTrue($this->isDone());
    }

    public function testAJobThatAnotherWorkerRunsGoesBackToTheQueue(): void
    {
        $this->dispatch('first');
        $this->dispatch('second');
        $this->setWork(function (QueuedJob $job): void {
            $this->seen[] = $job->name;
            self::assertSame('', $this->workInAnotherProcess());
            self::assertSame(2, self::queued());
            self::assertEqualsWithDelta(10, self::delay(), 8);
        });
        self::work();
        self::assertTrue($this->isDone());
        self::assertSame(1, self::queued());
        self::goOn(11);
        self::work();
        $this->assertSeen(['first']);
        self::assertSame(0, self::queued());
    }

    public function testAJobRunsAfterTheFailureInAnotherWorker(): void
    {
        $this->dispatch('first');
        $this->dispatch('second', (new Once($this->name, for: 60))->releaseAfter(300));
        $this->setWork(function (): void {
            self::assertSame('', $this->workInAnotherProcess());
            self::assertEqualsWithDelta(300, self::delay(), 30);
            throw new RuntimeException('broken');
        });
        self::work();
        $this->setWork(function (QueuedJob $job): void {
            $this->seen[] = $job->name;
        });
        self::goOn(301);
        self::work();
        self::work();
        $this->assertSeen(['exception: broken', 'second'], 'and the first is skipped');
        self::assertSame(0, self::queued());
    }

    public function testAJobThatReleasesItselfIsNotDone(): void
    {
        $this->setWork(function (QueuedJob $job): void {
            $this->seen[] = $job->name;
            if ($job->attempts() === 1) {
                $job->release(20);
            }
        });
        $this->dispatch('first');
        self::work();
        self::assertFalse(self::redis()->isLocked($this->key()));
        self::assertEqualsWithDelta(20, self::delay(), 10);
        self::goOn(21);
        self::work();
        $this->assertSeen(['first', 'first']);
        self::assertTrue($this->isDone());
    }

    public function testAJobThatFailsItselfIsNotDone(): void
    {
        $this->setWork(fn (QueuedJob $job) => $job->fail());
        $this->dispatch('first');
        self::work();
        $this->assertSeen(['failed']);
        self::assertFalse(self::redis()->isLocked($this->key()));
        self::assertSame(0, self::queued());
    }

    public function testATimeoutInTheJobIsItsFailure(): void
    {
        $this->setWork(fn () => throw new RedisLockTimeoutException('of another lock'));
        $this->dispatch('first');
        self::work();
        $this->assertSeen(['exception: of another lock']);
        self::assertSame(0, self::delay(), 'the queue has released it, not the middleware');
    }

    public function testTheQueueGetsAnIntervalAsSeconds(): void
    {
        $job = new class {
            public mixed $delay = null;

            public function release(mixed $delay): void
            {
                $this->delay = $delay;
            }
        };
        $middleware = (new Once($this->name, for: 60))->releaseAfter(new DateInterval('PT5M'));
        $lease = self::redis()->lease($middleware->getLockKey($job));
        self::assertNotNull($lease);
        $middleware->handle($job, fn () => self::fail('two run'));
        self::assertSame(300, $job->delay);
    }

    public function testAJobThatCannotBeReleasedThrows(): void
    {
        $job = new stdClass();
        $middleware = new Once($this->name, for: 60);
        $lease = self::redis()->lease($middleware->getLockKey($job));
        self::assertNotNull($lease);
        $this->expectException(RedisLockTimeoutException::class);
        $middleware->handle($job, fn () => self::fail('two run'));
    }

    public function testAJobOnTheConnectionSyncIsNotDropped(): void
    {
        $lease = self::redis()->lease($this->key());
        self::assertNotNull($lease);
        $job = (new QueuedJob('first'))->onConnection('sync');
        try {
            $this->dispatch('first', job: $job);
            self::fail('the job is dropped');
        } catch (RedisLockTimeoutException $e) {
            $this->assertSeen(['exception: ' . $e->getMessage(), 'failed']);
        }
        $lease->release();
        $this->dispatch('first', job: $job);
        self::assertSame('first', end($this->seen));
        self::assertTrue($this->isDone());
    }

    public function testAListenerInTheQueueHasItsOwnKey(): void
    {
        $listener = new CallQueuedListener(self::class, 'handle', []);
        $key = (new Once(7, for: 60))->getLockKey($listener);
        self::assertSame('once:' . self::class . ':7', $key);
    }

    public function testAStoreOfAnotherDriver(): void
    {
        config(['cache.default' => 'redis']);
        $job = new QueuedJob('first');
        (new Once($this->name, for: 60, store: 'redislock'))->handle($job, function (): void {
            $this->seen[] = 'run';
        });
        $this->assertSeen(['run']);
        self::assertTrue($this->isDone());
        $this->expectException(LogicException::class);
        $this->expectExceptionMessage('the default store of config/cache.php does not');
        (new Once($this->name, for: 60))->handle($job, fn () => self::fail('it runs'));
    }

    public function testTheExampleOfTheReadme(): void
    {
        $readme = (string) file_get_contents(__DIR__ . '/../README.md');
        self::assertSame(1, preg_match('~^```php\n([^`]*\bOnce;.*?)^```~ms', $readme, $matches));
        $file = (string) tempnam(sys_get_temp_dir(), 'redislock-readme-');
        file_put_contents($file, "<?php\n" . ($matches[1] ?? ''));
        /** @psalm-suppress UnresolvableInclude */
        require $file;
        unlink($file);
        $class = preg_match('~^final class (\w+)~m', $matches[1] ?? '', $names) ? $names[1] : '';
        self::assertTrue(class_exists($class, false));
        self::redis()->forceRelease("once:$class:42");
        app(Dispatcher::class)->dispatch((new ReflectionClass($class))->newInstance(42));
        self::work();
        $this->assertSeen([]);
        self::assertTrue(self::redis()->inspect("once:$class:42")?->isDone);
        self::redis()->forceRelease("once:$class:42");
    }
}
