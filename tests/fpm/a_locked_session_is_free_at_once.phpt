--TEST--
A locked session is free at once, however its request ends under FPM, and the request that waits for it goes on.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/sessions.inc';
require __DIR__ . '/../inc/cluster.inc';
skip_without_sessions();
skip_without_cluster();
?>
--FILE--
<?php
require __DIR__ . '/../inc/sessions.inc';
require __DIR__ . '/../inc/cluster.inc';

$server = start_server();
$cluster = start_cluster();
$folder = test_folder();

/* The way in which the first request ends, what PHP logs, and what the next request finds. The TTL
 * of the session is longer than that request waits. */
$ends = [
    'return' => ['', '~^$~', 'first'],
    'exit' => ['exit;', '~^$~', 'first'],
    'an exception' => ['throw new RuntimeException("oh");', '~Uncaught RuntimeException: oh~',
        'first'],
    'a fatal error' => ['eval("class RedisLock {}");', '~Fatal error: ~', 'first'],
    'the memory limit' => ['ini_set("memory_limit", "8M"); str_repeat("a", 16 << 20);',
        '~Allowed memory size~', 'first'],
    /* Nothing is left for the write. */
    'the memory limit by many small values' => ['ini_set("memory_limit", "8M");
        for ($all = null;; $all = [$all]);', '~Allowed memory size~', 'first|none'],
    'the time limit' => ['set_time_limit(1); for (;;);', '~Maximum execution time~', 'first'],
];
foreach (['a server' => $server->dsn(), 'a cluster' => $cluster->dsn()] as $where => $dsn) {
    $fpm = start_fpm($server, [], ['pm.max_children' => 3], ['redislock.servers' => $dsn]);
    foreach ($ends as $end => [$code, $logged, $value]) {
        $what = "$where, $end";
        $id = new_session();
        $changes = ['ttl: 10, wait: 5' => 'ttl: 300, wait: 40'];
        $first = $fpm->start(session_script('
            session_start();
            $_SESSION["by"] = "first";
            echo "started\n";
            flush();
            for (; !is_file("$_GET[folder]/end"); clearstatcache(), usleep(2000));
            ' . $code, 'UnlockedFiles', $changes), ['id' => $id, 'folder' => $folder]);
        $first->expect('~started~');
        $next = $fpm->start(session_script('
            session_start();
            echo $_SESSION["by"] ?? "none";', 'UnlockedFiles', $changes), ['id' => $id]);
        eventually("$what: the next request waits", fn () => waiting($fpm) === 1);
        touch("$folder/end");
        $first->finish();
        $next->finish();
        unlink("$folder/end");
        matches("$what: logged", $logged, $first->errors);
        matches("$what: the next request finds", "~^($value)$~D", $next->body . $next->errors);
        check("$what: at once", $next->endedAt - $first->endedAt < slack(1.0),
            $next->endedAt - $first->endedAt);
    }
    $fpm->stop();
}
same('locks', [], preg_grep('~:session:~', [...$server->locks(), ...$cluster->locks()]));
rmdir($folder);

done();
?>
--EXPECT--
ok
