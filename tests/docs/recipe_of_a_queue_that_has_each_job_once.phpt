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

done();
?>
--EXPECT--
ok
