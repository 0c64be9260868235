--TEST--
The recipe of the last one that wins: of many calls the last one does the work, also while an earlier one is at work.
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

const LATER = "a later call does it\n";

$docs = new DocRunner();
$waits = ['usleep(max' => 'echo "quiet\n"; usleep(max'];

/* One after the other, within the seconds without another call. No renewal comes in these seconds,
 * so the calls learn of each other by verify() alone. */
$calls_only_ask = $waits + ['ttl: 3' => 'ttl: 300'];
$calls = [];
for ($n = 0; $n < 5; $n++) {
    $calls[$n] = $docs->start(recipe('reindex.php', $calls_only_ask), '5');
    $calls[$n]->expect('~quiet~');
}
foreach ($calls as $n => $call) {
    same("call $n", "quiet\n" . ($n < 4 ? LATER : "indexing a-m\nindexing n-z\n"), $call->output());
}

/* All at once. */
$calls = array_map(fn () => $docs->start(recipe('reindex.php'), '6'), range(1, 8));
$outputs = array_map(fn (PhpChild $call) => $call->output(), $calls);
sort($outputs);
same('eight at once', [...array_fill(0, 7, LATER), "indexing a-m\nindexing n-z\n"], $outputs);

/* While one is at work. */
$works = $docs->start(recipe('reindex.php',
    ['// your work' => 'for ($i = 0; $i < 20000; $i++) { usleep(1000); } //']), '0.01');
$works->expect('~indexing a-m~');
$last = $docs->start(recipe('reindex.php'), '3');
same('the one at work', "indexing a-m\n" . LATER, $works->output());
same('the last one', "indexing a-m\nindexing n-z\n", $last->output());
same('locks', [], $docs->locks());

/* A lock that cannot be taken over. */
$docs->server()->cmd('ZADD', 'app:reindex', '1', 'symfony');
same('a lock of symfony/lock', "another client has the lock\n",
    $docs->start(recipe('reindex.php'), '0')->output());
same('it stays', 1, $docs->server()->cmd('ZCARD', 'app:reindex'));

done();
?>
--EXPECT--
ok
