--TEST--
The recipe of a lock that is taken from its holder: the lock is never free in between, the holder learns of it, and of two that take it one gets it.
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
$slow = ['ttl: 10' => 'ttl: 3', '[1, 2, 3]' => 'range(1, 10000)'];
$import = $docs->start(recipe('import.php', $slow));
$import->expect('~batch 1 is~');
$waiter = $docs->start(recipe('cron.php',
    ['cron:invoices' => 'import', 'ttl: 30' => 'ttl: 3, wait: 60']));
eventually('another process waits', fn () =>
    $docs->server()->cmd('EXISTS', 'app:import::rl-wait') === 1);

/* At work until a line of input comes. */
$urgent = $docs->start(recipe('urgent.php', AT_WORK));
$urgent->expect('~^taken from \S+:' . $import->pid . '$~m');
$output = $import->output();
matches('the former holder', '~RedisLockLostException~', $output);
check('it has not ended by itself', !str_contains($output, 'batch 10000 '), substr($output, -200));
$urgent->expect('~^importing$~m');
same('meanwhile', 'another import is running', $docs->run(recipe('import.php')));
$urgent->tell('end');
matches('the new holder ends well', '~importing\n$~D', $urgent->output());
same('the waiter is next', "sending invoices\n", $waiter->output());

/* Two of them take the token of one holder. */
$import = $docs->start(recipe('import.php', $slow));
$import->expect('~batch 1 is~');
$go = "$docs->folder/go";
$both_know_the_token = ['$lease = $token' => 'for (print "ready\n"; !is_file("go"); usleep(1000)) {
    clearstatcache();
} $lease = $token'];
$two = array_map(fn () => $docs->start(recipe('urgent.php',
    ['sleep($ttl);' => 'fgets(STDIN);'] + $both_know_the_token)), [1, 2]);
foreach ($two as $one) {
    $one->expect('~ready~');
}
touch($go);
foreach ($two as $one) {
    $one->expect('~taken from|try again~');
}
$outputs = [];
foreach ($two as $one) {
    @$one->tell('end'); // the one that got no lock may have ended
    $outputs[] = str_replace("ready\n", '', $one->output());
}
sort($outputs);
matches('one of two gets it', "~^taken from \S+:$import->pid\nimporting\n$~D", $outputs[0]);
same('and the other one does not', "the lock has changed hands at this moment: try again\n",
    $outputs[1]);
$import->output();
same('locks', [], $docs->locks());

done();
?>
--EXPECT--
ok
