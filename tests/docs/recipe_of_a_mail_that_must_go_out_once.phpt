--TEST--
The recipe of a mail that must go out once: of eight workers with the same messages one sends each mail.
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
$workers = [];
for ($i = 0; $i < 8; $i++) {
    $code = recipe('mail.php',
        ['sending mail' => 'mail', '7 * 86400' => '60, wait: 30']);
    $workers[] = $docs->start($code, (string) (1 + $i % 2));
}
$sent = [1 => 0, 0];
foreach ($workers as $i => $worker) {
    $lines = explode("\n", trim($worker->output()));
    $order = 1 + $i % 2;
    $sent[$order] += count(array_keys($lines, "mail $order", true));
    same("worker $i", 2, count(preg_grep("~^mail $order( was sent before)?$~", $lines)));
}
same('sent', [1 => 1, 1], $sent);
same('keys', ['0:app:confirmation:1', '0:app:confirmation:2'], $docs->locks());
$fails = recipe('mail.php', ['echo "sending mail' => 'throw new Exception; echo "']);
$failed = $docs->start($fails, '3');
matches('a worker that fails', '~Uncaught Exception~', $failed->output());
same('the next worker', "sending mail 3\nmail 3 was sent before\n",
    $docs->start(recipe('mail.php'), '3')->output());

done();
?>
--EXPECT--
ok
