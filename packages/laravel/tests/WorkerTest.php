<?php

declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use Illuminate\Cache\Limiters\ConcurrencyLimiterBuilder;
use Illuminate\Cache\Limiters\LimiterTimeoutException;
use Illuminate\Contracts\Bus\Dispatcher;
use Illuminate\Contracts\Cache\LockTimeoutException;
use Illuminate\Queue\Worker;
use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\DB;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use RedisLock\Laravel\RedisLockRepository;

/** Queue workers that are told to quit, or are killed, while they wait for a lock or hold it. */
final class WorkerTest extends QueueTestCase
{
    /** @var resource|null */
    private mixed $process = null;

    /** @var resource|null its output */
    private mixed $output = null;

    protected function tearDown(): void
    {
        $this->kill();
        parent::tearDown();
    }

    private function startWorker(): void
    {
        $process = proc_open([PHP_BINARY, __DIR__ . '/worker.php', $this->file()],
            [1 => ['pipe', 'w']], $pipes);
        self::assertIsResource($process);
        $this->process = $process;
        $this->output = $pipes[1];
    }

    private function kill(): void
    {
        if ($this->process !== null) {
            proc_terminate($this->process, 9);
            proc_close($this->process);
            $this->process = null;
        }
    }

    private function dispatch(): void
    {
        app(Dispatcher::class)->dispatch(new QueuedJob($this->name));
    }

    private function waitUntilOneWaits(): void
    {
        $end = microtime(true) + 30;
        while (self::redis()->inspect($this->name)?->waiters !== 1) {
            self::assertLessThan($end, microtime(true), 'the worker is not in the queue');
            usleep(20_000);
        }
    }

    public function testAWaitInAWorkerEndsWhenTheWorkerIsToldToQuit(): void
    {
        $owner = (string) self::redis()->acquire($this->name, 300);
        $this->setWork(function (QueuedJob $job): void {
            $worker = app('queue.worker');
            self::assertInstanceOf(Worker::class, $worker);
            $worker->shouldQuit = true;
            $fail = function (): void {
                self::fail('it is held');
            };
            foreach ([null, $fail] as $callback) {
                try {
                    Cache::lock($job->name, 10)->block(300, $callback);
                    self::fail('the lock was held');
                } catch (LockTimeoutException $e) {
                    $this->seen[] = (string) preg_replace('~held by.*~', '', $e->getMessage());
                }
            }
        });
        $this->dispatch();
        $start = microtime(true);
        self::work();
        self::assertLessThan(120, microtime(true) - $start);
        $name = self::prefix() . $this->name;
        $message = "could not acquire the lock \"$name\" before this queue worker was told to"
            . ' quit: it is ';
        $this->assertSeen([$message, $message]);
        self::assertTrue(self::redis()->release($this->name, $owner));
    }

    public function testAFunnelEndsItsWaitToo(): void
    {
        $repository = Cache::store();
        self::assertInstanceOf(RedisLockRepository::class, $repository);
        if (!class_exists(ConcurrencyLimiterBuilder::class)) {
            self::markTestSkipped('this version of Laravel has no Cache::funnel()');
        }
        $owner = (string) self::redis()->acquire($this->name, 300);
        $worker = app('queue.worker');
        self::assertInstanceOf(Worker::class, $worker);
        $worker->shouldQuit = true;
        $message = '';
        $repository->funnel($this->name)->limit(1)->block(300)->then(
            fn () => self::fail('it is held'),
            function (LimiterTimeoutException $e) use (&$message): void {
                $message = $e->getMessage();
            });
        self::assertStringEndsWith('before this queue worker was told to quit: all are held',
            $message);
        self::assertTrue(self::redis()->release($this->name, $owner));
    }

    public function testAFreeLockIsTakenAlsoThen(): void
    {
        $worker = app('queue.worker');
        self::assertInstanceOf(Worker::class, $worker);
        $worker->shouldQuit = true;
        self::assertSame('done', Cache::lock($this->name, 10)->block(5, fn (): string => 'done'));
        self::assertIsString(self::redis()->acquire($this->name, 300));
        try {
            Cache::lock($this->name, 10)->block(0);
            self::fail('the lock was held');
        } catch (LockTimeoutException $e) {
            self::assertStringContainsString('within 0 s', $e->getMessage());
        }
        self::redis()->forceRelease($this->name);
    }

    public function testOutsideOfAWorkerNoneIsMade(): void
    {
        $owner = (string) self::redis()->acquire($this->name, 300);
        try {
            Cache::lock($this->name, 10)->block(1);
            self::fail('the lock was held');
        } catch (LockTimeoutException $e) {
            self::assertStringContainsString('within 1 s', $e->getMessage());
        }
        self::assertFalse(app()->resolved('queue.worker'));
        self::assertTrue(self::redis()->release($this->name, $owner));
    }

    #[RequiresPhpExtension('pcntl')]
    public function testSigtermEndsTheWaitOfAWorkerAndItsJobStaysInTheQueue(): void
    {
        $owner = (string) self::redis()->acquire($this->name, 300);
        $this->dispatch();
        $this->startWorker();
        $this->waitUntilOneWaits();
        $start = microtime(true);
        self::assertNotNull($this->process);
        proc_terminate($this->process, 15);
        self::assertNotNull($this->output);
        $output = (string) stream_get_contents($this->output);
        self::assertLessThan(120, microtime(true) - $start);
        self::assertStringContainsString('before this queue worker was told to quit', $output);
        self::assertSame(1, self::queued());
        self::assertNull(DB::table('jobs')->value('reserved_at'), 'any worker may take the job');
        self::assertTrue(self::redis()->release($this->name, $owner));
        self::assertFalse(self::redis()->isLocked($this->name));
    }

    public function testTheLockOfAWorkerThatIsKilledIsFreeAfterItsSeconds(): void
    {
        $this->dispatch();
        $this->startWorker();
        self::assertNotNull($this->output);
        self::assertSame("at work\n", fgets($this->output));
        usleep(2_500_000);
        self::assertFalse(Cache::lock($this->name, 1)->get(), 'it is renewed');
        $this->kill();
        self::assertSame('restarted',
            Cache::lock($this->name, 1)->block(60, fn (): string => 'restarted'));
    }
}
