--TEST--
The recipe of at most three at a time: the fourth is refused, and gets a slot that becomes free.
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
$exports = array_map(fn () => $docs->start(recipe('slots.php', AT_WORK)), range(1, 3));
foreach ($exports as $export) {
    $export->expect('~exporting~');
}
same('the fourth', 'three exports are running', $docs->run(recipe('slots.php')));
$exports[1]->tell('end');
same('one ends', "exporting\n", $exports[1]->output());
same('its slot', 'exporting', $docs->run(recipe('slots.php')));
$exports[] = $docs->start(recipe('slots.php', AT_WORK));
$exports[3]->expect('~exporting~');
$waiting = $docs->start(recipe('slots.php', ['slots: 3' => 'slots: 3, wait: 30']));
$exports[0]->tell('end');
$exports[2]->tell('end');
$exports[3]->tell('end');
same('a waiter', "exporting\n", $waiting->output());
foreach ($exports as $i => $export) {
    same("export $i ends", "exporting\n", $export->output());
}
same('locks', [], $docs->locks());

done();
?>
--EXPECT--
ok
