--TEST--
The recipe of a cache: of eight processes that miss it one builds it, and all get it.
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
$all = array_map(fn () => $docs->start(recipe('cache.php')), range(1, 8));
$output = implode('', array_map(fn (PhpChild $one) => $one->output(), $all));
same('built', 1, substr_count($output, 'building'));
same('shown', 8, substr_count($output, "tea: 3\n"));
same('later', 'tea: 3', $docs->run(recipe('cache.php')));
same('locks', [], $docs->locks());

done();
?>
--EXPECT--
ok
