<?php

declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use Closure;
use Illuminate\Contracts\Events\Dispatcher;
use Illuminate\Database\DatabaseServiceProvider;
use Illuminate\Queue\Events\JobExceptionOccurred;
use Illuminate\Queue\Events\JobFailed;
use Illuminate\Queue\Worker;
use Illuminate\Queue\WorkerOptions;
use Illuminate\Support\Carbon;
use Illuminate\Support\Facades\DB;
use Psr\Log\NullLogger;

/** A queue in a database, and Laravel's own workers, in this process and in another one. */
abstract class QueueTestCase extends TestCase
{
    /** @var list<string> what has happened to the jobs */
    protected array $seen = [];

    private string $file = '';

    protected function setUp(): void
    {
        if (!extension_loaded('pdo_sqlite')) {
            self::markTestSkipped('the extension pdo_sqlite is not loaded');
        }
        parent::setUp();
        $this->file = (string) tempnam(sys_get_temp_dir(), 'redislock-queue-');
        self::applicationWithQueue($this->file);
        DB::statement('CREATE TABLE jobs (id INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT,'
            . ' payload TEXT, attempts INT, reserved_at INT, available_at INT, created_at INT)');
        $events = app(Dispatcher::class);
        $events->listen(JobExceptionOccurred::class, function (JobExceptionOccurred $event): void {
            $this->seen[] = 'exception: ' . $event->exception->getMessage();
        });
        $events->listen(JobFailed::class, function (): void {
            $this->seen[] = 'failed';
        });
        $this->setWork(function (QueuedJob $job): void {
            $this->seen[] = $job->name;
        });
    }

    protected function tearDown(): void
    {
        Carbon::setTestNow();
        parent::tearDown();
        if ($this->file !== '') {
            unlink($this->file);
        }
    }

    /** @param array<string, mixed> $settings */
    public static function applicationWithQueue(string $file, array $settings = []): void
    {
        $app = self::application($settings + [
            'database.default' => 'sqlite',
            'database.connections.sqlite' => ['driver' => 'sqlite', 'database' => $file,
                'prefix' => ''],
            'queue.default' => 'database',
            'queue.connections.database' => ['driver' => 'database', 'connection' => null,
                'table' => 'jobs', 'queue' => 'default', 'retry_after' => 90],
        ]);
        $app->instance('log', new NullLogger());
        $app->register(DatabaseServiceProvider::class);
    }

    /** The database of the queue. */
    protected function file(): string
    {
        return $this->file;
    }

    /** @param Closure(QueuedJob): mixed $work what the jobs do */
    protected function setWork(Closure $work): void
    {
        QueuedJob::$work = $work;
    }

    /** A worker of this process runs the next job that is due. */
    public static function work(): void
    {
        $worker = app('queue.worker');
        self::assertInstanceOf(Worker::class, $worker);
        $worker->runNextJob('database', 'default', new WorkerOptions(sleep: 0));
    }

    /** A worker of another process does. Returns the name of the job that it has run. */
    protected function workInAnotherProcess(): string
    {
        $process = proc_open([PHP_BINARY, __DIR__ . '/work.php', $this->file], [1 => ['pipe', 'w']],
            $pipes);
        self::assertIsResource($process);
        $name = trim((string) stream_get_contents($pipes[1]));
        self::assertSame(0, proc_close($process));
        return $name;
    }

    /** The clock of the queue goes on; that of the locks does not. */
    protected static function goOn(int $seconds): void
    {
        Carbon::setTestNow(Carbon::now()->addSeconds($seconds));
    }

    /** @param list<string> $expected */
    protected function assertSeen(array $expected, string $message = ''): void
    {
        self::assertSame($expected, $this->seen, $message);
    }

    /** How many jobs are in the queue. */
    protected static function queued(): int
    {
        return DB::table('jobs')->count();
    }

    /** In how many seconds the newest job is due. */
    protected static function delay(): int
    {
        /** @var mixed $due */
        $due = DB::table('jobs')->orderByDesc('id')->value('available_at');
        return (is_numeric($due) ? (int) $due : 0) - Carbon::now()->getTimestamp();
    }
}
