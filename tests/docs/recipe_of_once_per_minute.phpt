--TEST--
The recipe of once per minute: one of four hosts does the work, and the next minute is another one.
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
$hosts = array_map(fn () => $docs->start(recipe('minute.php'), '2026-01-01 12:00'), range(1, 4));
$output = array_map(fn (PhpChild $host) => $host->output(), $hosts);
sort($output);
same('four hosts', [...array_fill(0, 3, "another host has done it\n"), "sending the report\n"],
    $output);
same('the next minute', "sending the report\n",
    $docs->start(recipe('minute.php'), '2026-01-01 12:01')->output());
same('locks', ['0:app:report:2026-01-01 12:00', '0:app:report:2026-01-01 12:01'], $docs->locks());

done();
?>
--EXPECT--
ok
