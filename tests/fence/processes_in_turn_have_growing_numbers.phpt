--TEST--
Processes that hold a lock in turn write down growing numbers, on one server and on three.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_without_fences();
skip_by_topology('it starts members of its own');
?>
--FILE--
<?php
require __DIR__ . '/../inc/members.inc';

const PROCESSES = 4;
const SECTIONS = 100;

$all = start_members(3);
$log = start_server();
foreach (['one' => [$all->servers[0]->dsn()], 'three' => $all->dsns()] as $what => $dsns) {
    $children = [];
    for ($i = 0; $i < PROCESSES; $i++) {
        $children[] = start_php(<<<'PHP'
            require $argv[4];
            $lock = new RedisLock(json_decode($argv[1]), timeout: (float) $argv[6],
                connectTimeout: (float) $argv[7]);
            $log = new RespClient($argv[2]);
            for ($i = 0; $i < $argv[5]; $i++) {
                $lock->synchronized($argv[3], function (RedisLockLease $lease) use ($log, $argv) {
                    $log->cmd('RPUSH', $argv[3], $lease->fence());
                }, wait: 60);
            }
            echo 'done';
            PHP, [json_encode($dsns), $log->address(), $what, dirname(__DIR__) . '/inc/resp.inc',
            SECTIONS, room(1.0), room(1.0)]);
    }
    foreach ($children as $child) {
        same("$what: a process", 'done', $child->output());
    }
    $numbers = $log->cmd('LRANGE', $what, 0, -1);
    same("$what: numbers", PROCESSES * SECTIONS, count($numbers));
    $sorted = $numbers;
    sort($sorted, SORT_NUMERIC);
    same("$what: they grow", $sorted, $numbers);
    same("$what: each once", count($numbers), count(array_unique($numbers)));
}

done();
?>
--EXPECT--
ok
