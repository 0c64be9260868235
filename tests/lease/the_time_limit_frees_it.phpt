--TEST--
A script that runs into the time limit in a busy loop frees its leases.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$is_timer = time_limit_is_a_timer();
$seconds = $is_timer ? (int) room(2) : 50;
foreach (['in a loop' => '$lease = $lock->lease("k", 60); echo "busy\n"; while (true) {}',
        'in a section' =>
                '$lock->synchronized("k", function () { echo "busy\n"; while (true) {} }, 60);']
                as $what => $code) {
    foreach (["set_time_limit($seconds);" => [], '' => ['max_execution_time' => $seconds]]
            as $limit => $ini) {
        $child = start_php(CHILD_BEGINS . $limit . $code, [$server->dsn()], $ini);
        $child->expect('~busy~');
        same("$what: keys", ['0:k'], $server->keys());
        $is_timer || $child->signal(SIGPROF);
        matches($what, "~Maximum execution time of $seconds seconds exceeded~", $child->output());
        same("$what: keys", [], $server->keys());
        same("$what: status", 255, $child->status());
    }
}

done();
?>
--EXPECT--
ok
