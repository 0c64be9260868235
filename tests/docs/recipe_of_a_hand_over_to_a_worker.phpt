--TEST--
The recipe of a hand-over: of two workers with one job one works, and after its death the job runs again.
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
$job = $docs->run(recipe('web.php'));
matches('the job', '~^{"report":7,"token":"rl1\..{24}[^"]*"}$~D', $job);
same('a second request', 'the report is being built already', $docs->run(recipe('web.php')));

$worker = function (array $changes = []) use ($docs, $job): PhpChild {
    $worker = $docs->start(recipe('worker.php', $changes));
    $worker->tell($job);
    return $worker;
};
/* Short, so that its lock does not outlive it for long. */
$first = $worker(["\$job['token'])" => "\$job['token'], 0.6)"] + AT_WORK);
$first->expect('~building report 7~');
same('delivered again', "put back: another worker is at work\n", $worker()->output());
$first->signal(SIGKILL);
$first->output();
eventually('after its death',
    fn () => $worker()->output() === "building report 7\n");
same('locks', [], $docs->locks());

done();
?>
--EXPECT--
ok
