<?php

/* A worker of Laravel for the queue in the database FILE, as queue:work runs it. Its jobs hold the
   lock that has their name, or wait for it, and print what happens.

   usage: php worker.php FILE */

declare(strict_types=1);

use Illuminate\Contracts\Cache\LockTimeoutException;
use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Contracts\Events\Dispatcher;
use Illuminate\Contracts\Queue\Factory;
use Illuminate\Queue\Worker;
use Illuminate\Queue\WorkerOptions;
use Illuminate\Support\Facades\Cache;
use RedisLock\Laravel\Tests\QueuedJob;
use RedisLock\Laravel\Tests\QueueTestCase;

require __DIR__ . '/bootstrap.php';

QueueTestCase::applicationWithQueue($argv[1]);
QueuedJob::$work = function (QueuedJob $job): void {
    try {
        Cache::lock($job->name, 1)->block(300, function (): void {
            echo "at work\n";
            sleep(300);
        });
    } catch (LockTimeoutException $e) {
        echo $e->getMessage(), "\n";
        throw $e;
    }
};
$worker = new Worker(app(Factory::class), app(Dispatcher::class), app(ExceptionHandler::class),
    fn (): bool => false);
app()->instance('queue.worker', $worker);
exit($worker->daemon('database', 'default', new WorkerOptions(sleep: 0, timeout: 0)));
