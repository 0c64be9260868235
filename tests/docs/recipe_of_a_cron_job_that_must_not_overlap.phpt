--TEST--
The recipe of a cron job: a run that finds the last one at work ends, and the next one works.
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
$run = $docs->start(recipe('cron.php', AT_WORK));
$run->expect('~sending invoices~');
same('meanwhile', 'the last run is still at work', $docs->run(recipe('cron.php')));
$run->tell('end');
$run->output();
same('afterwards', 'sending invoices', $docs->run(recipe('cron.php')));

$run = $docs->start(recipe('cron.php', ['ttl: 30' => 'ttl: 0.5'] + AT_WORK));
$run->expect('~sending invoices~');
$run->signal(SIGKILL);
$run->output();
eventually('after a kill', fn () => $docs->run(recipe('cron.php')) === 'sending invoices');
same('locks', [], $docs->locks());

done();
?>
--EXPECT--
ok
