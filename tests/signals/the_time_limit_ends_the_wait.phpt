--TEST--
The time limit ends a wait at once and leaves no key.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
if (PHP_ZTS) { die('skip the time limit is SIGPROF without ZTS only'); }
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
foreach (['set_time_limit(50);' => [], '' => ['max_execution_time' => 50]] as $limit => $ini) {
    $server->cmd('SET', 'k', 'somebody');
    $child = start_php($limit . '
        $lock = new RedisLock($argv[1]);
        echo "waiting\n";
        $lock->acquire("k", 60, 60);
        echo "not here\n";', [$server->dsn()], $ini);
    $child->expect('~waiting~');
    usleep(200000);
    $start = now();
    $child->signal(SIGPROF);
    $output = $child->output();
    check('at once', now() - $start < slack(1.8), now() - $start);
    matches('output', '~Maximum execution time of 50 seconds exceeded~', $output);
    check('it went no further', !str_contains($output, 'not here'), $output);
    same('status', 255, $child->status());
    $server->cmd('DEL', 'k');
    usleep(250000);
    same('keys', [], $server->locks());
}

done();
?>
--EXPECT--
ok
