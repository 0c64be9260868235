<?php

/* A worker that runs the next job of the queue in the database FILE, and prints its name.

   usage: php work.php FILE */

declare(strict_types=1);

use RedisLock\Laravel\Tests\QueuedJob;
use RedisLock\Laravel\Tests\QueueTestCase;

require __DIR__ . '/bootstrap.php';

QueueTestCase::applicationWithQueue($argv[1]);
QueuedJob::$work = function (QueuedJob $job): void {
    echo $job->name, "\n";
};
QueueTestCase::work();
