--TEST--
The recipe of a leader: the next process follows at once after SIGTERM, and after the TTL when the leader was killed.
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
$leader = fn () => $docs->start(recipe('leader.php', ['ttl: 5' => 'ttl: ' . room(1.0)]), '1000');
$first = $leader();
$first->expect('~tick~');
$second = $leader();
$first->signal(SIGTERM);
$first->output();
$second->expect('~tick~');
$third = $leader();
$second->signal(SIGKILL);
$second->output();
$third->expect('~tick~');
$third->signal(SIGTERM);
$third->output();
eventually('locks', fn () => $docs->locks() === [], FREES_ON_SIGTERM ? 0.0 : 10.0);

done();
?>
--EXPECT--
ok
