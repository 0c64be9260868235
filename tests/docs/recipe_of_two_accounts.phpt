--TEST--
The recipe of two accounts: transfers in both directions at the same time end, and lose nothing.
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
$transfers = [];
for ($i = 0; $i < 4; $i++) {
    $transfers[] = $docs->start(recipe('transfer.php'), 'alice', 'bob', '10');
    $transfers[] = $docs->start(recipe('transfer.php'), 'bob', 'alice', '3');
    $transfers[] = $docs->start(recipe('transfer.php'), 'bob', 'carol', '5');
}
foreach ($transfers as $transfer) {
    matches('a transfer', '~^\w+: \d+, \w+: \d+$~D', trim($transfer->output()));
}
same('alice', '72', file_get_contents("$docs->folder/alice.txt"));
same('carol', '120', file_get_contents("$docs->folder/carol.txt"));
same('bob', '108', file_get_contents("$docs->folder/bob.txt"));
same('locks', [], $docs->locks());

done();
?>
--EXPECT--
ok
