--TEST--
A lease by TLS is freed at the end of the script, by a fatal error, an exception, the time limit, exit and SIGTERM.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/tls.inc';
skip_without_tls();
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/tls.inc';
require __DIR__ . '/../inc/sigterm.inc';

by_tls();
$server = start_server();
matches('the scripts use TLS', '~^rediss://~', $server->dsn());
$take = '$lease = $lock->lease("k", 60); held(); ';
freed_by_the_end($server, 'the end', $take, "~^held\n$~");
freed_by_the_end($server, 'exit()', "$take exit(3);", "~^held\n$~", 3);
freed_by_the_end($server, 'an exception', "$take throw new Exception('mine');",
    "~^held\n.*mine~s", 255);
freed_by_the_end($server, 'a fatal error', "$take nowhere();", "~^held\n.*nowhere~s", 255);
freed_by_the_end($server, 'the memory limit', "$take str_repeat('x', 1 << 30);",
    "~^held\n.*Allowed memory~s", 255, ['memory_limit' => '16M']);
freed_by_the_end($server, 'the time limit', "$take while (true) { }", "~^held\n.*execution time~s",
    255, ['max_execution_time' => 1]);
freed_by_the_end($server, 'a cycle', '$a = new stdClass; $a->a = $a;
    $a->lease = $lock->lease("k", 60); unset($a); held();', "~^held\n$~");
freed_by_the_end($server, 'a shutdown function', "register_shutdown_function(fn () => held());
    $take", "~^held\nheld\n$~");
/* More than a TLS record has room for. The end of a script has 0.2 s for them. */
undisturbed(0.05, fn () => freed_by_the_end($server, 'two hundred leases', '$leases = [];
    for ($i = 0; $i < 200; $i++) { $leases[] = $lock->lease("k$i", 60); } held("k199");',
    "~^held\n$~"));
freed_by_the_end($server, 'no connection', "$take \$lock->close();", "~^held\n$~");
$works = ['sleep()', 'a loop of calls', 'the wait for another lock'];
foreach (FREES_ON_SIGTERM ? $works : [] as $work) {
    $worker = start_worker($server, WORK[$work]);
    $worker->expect('~ready~');
    between("SIGTERM, $work: seconds", 0, slack(1.0), seconds_to_end($worker));
    same("SIGTERM, $work: status", -SIGTERM, $worker->status());
    same("SIGTERM, $work: keys", [], $server->locks());
}

done();
?>
--EXPECT--
ok
