--TEST--
The recipe of a queue that has each job once: the second push is refused, a push that fails frees the lock, and the worker does too.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/docs.inc';
skip_without_server();
skip_without_openssl_command();
skip_by_tls('it starts its own servers');
?>
--FILE--
<?php
require __DIR__ . '/../inc/docs.inc';

$docs = new DocRunner();
same('as shown', "queued\nin the queue already\nsending mail 42\nqueued",
    $docs->run(recipe('dedupe.php')));
same('the last job has its lock', ['0:app:mail:42'], $docs->locks());
$docs->begin();
matches('a push that fails', '~the queue is full~',
    $docs->run(recipe('dedupe.php', ['new SplQueue();' => 'new class extends SplQueue {
        public function enqueue($value): void { throw new Exception("the queue is full"); }
    };'])));
same('locks', [], $docs->locks());

/* The job comes again, after its worker has died or thrown. */
$dequeue = '$job = $queue->dequeue();';
$docs->begin();
same('a job whose token is of no use any more',
    "queued\nin the queue already\nsending mail 42\nqueued",
    $docs->run(recipe('dedupe.php', [$dequeue => "$dequeue \$lock->forceRelease('mail:42');"])));
$docs->begin();
same('a job that another worker has', "queued\nin the queue already\nin the queue already\n1",
    $docs->run(recipe('dedupe.php', [$dequeue => "$dequeue
        \$lock->forceRelease('mail:42'); \$other = \$lock->lease('mail:42');
        register_shutdown_function(fn () => print(count(\$queue)));"])));

done();
?>
--EXPECT--
ok
