--TEST--
The time limit ends a wait at once and leaves no key.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$is_timer = time_limit_is_a_timer();
$seconds = $is_timer ? (int) room(2) : 50;
foreach (["set_time_limit($seconds);" => [], '' => ['max_execution_time' => $seconds]]
        as $limit => $ini) {
    $server->cmd('SET', 'k', 'somebody');
    $child = start_php($limit . '
        $lock = new RedisLock($argv[1]);
        echo "waiting\n";
        $ignored = $lock->acquire("k", 60, 60);
        echo "not here\n";', [$server->dsn()], $ini);
    $child->expect('~waiting~');
    usleep(200000);
    $end = now() + ($is_timer ? $seconds : 0);
    $is_timer || $child->signal(SIGPROF);
    $output = $child->output();
    check('at once', now() - $end < slack(1.8), now() - $end);
    matches('output', "~Maximum execution time of $seconds seconds exceeded~", $output);
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
