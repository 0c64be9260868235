--TEST--
A script that runs into the time limit in a busy loop frees its leases.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
if (PHP_ZTS) { die('skip the time limit is SIGPROF without ZTS only'); }
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
foreach (['in a loop' => '$lease = $lock->lease("k", 60); echo "busy\n"; while (true) {}', 'in a section' => '$lock->synchronized("k", function () { echo "busy\n"; while (true) {} }, 60);'] as $what => $code) {
    foreach (['set_time_limit(50);' => [], '' => ['max_execution_time' => 50]] as $limit => $ini) {
        $child = start_php(CHILD_BEGINS . $limit . $code, [$server->dsn()], $ini);
        $child->expect('~busy~');
        same("$what: keys", ['0:k'], $server->keys());
        $child->signal(SIGPROF);
        matches($what, '~Maximum execution time of 50 seconds exceeded~', $child->output());
        same("$what: keys", [], $server->keys());
        same("$what: status", 255, $child->status());
    }
}

done();
?>
--EXPECT--
ok
