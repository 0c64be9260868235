--TEST--
Each request of a process that serves many requests frees its leases at its end, also after exit, an exception and a fatal error.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_on_cluster('the test counts the connections to one server');
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$folder = test_folder();
file_put_contents("$folder/index.inc", '<?php
    $lock = new RedisLock(getenv("DSN"));
    $lease = $lock->lease("k", 60);
    echo $lease === null ? "taken" : "held", " ", getmypid();
    switch ($_GET["how"]) {
        case "exit": exit;
        case "exception": throw new LogicException("x");
        case "fatal": trigger_error("x", E_USER_ERROR);
        case "memory": ini_set("memory_limit", "16M"); $x = str_repeat("x", 1 << 26); break;
        case "section": $lock->synchronized("l", function () { exit; });
        case "static": class A { static $lease; } A::$lease = $lease; break;
        case "cycle": $a = new stdClass; $a->a = $a; $a->lease = $lease; break;
    }');
$port = free_port();
$php = new PhpChild(php_command(['display_errors' => 0])
    . " -S 127.0.0.1:$port -t $folder $folder/index.inc", ['DSN' => $server->dsn()]);
$php->expect('~started~');
$pids = [];
for ($round = 0; $round < 2; $round++) {
    foreach (['end', 'exit', 'exception', 'fatal', 'memory', 'section', 'static', 'cycle', 'end']
            as $how) {
        $context =
            stream_context_create(['http' => ['ignore_errors' => true, 'timeout' => slack(10)]]);
        $seen = (string) file_get_contents("http://127.0.0.1:$port/?how=$how", false, $context);
        matches($how, '~^held \d+~', $seen);
        $pids[preg_replace('~\D+(\d+).*~s', '$1', $seen)] = 1;
        eventually("$how: no key is left", fn () => $server->keys() === [], 2.0);
    }
}
same('one process', 1, count($pids));
same('one connection', 1, count($server->client()->clients()));
$php->signal(SIGKILL);
$php->output();
unlink("$folder/index.inc");
rmdir($folder);

done();
?>
--EXPECT--
ok
