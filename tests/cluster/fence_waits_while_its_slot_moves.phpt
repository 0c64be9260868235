--TEST--
While a slot moves, fence() waits until both of its keys are on one node.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/cluster.inc';
skip_without_cluster();
skip_without_fences();
?>
--FILE--
<?php
require __DIR__ . '/../inc/cluster.inc';

$cluster = start_cluster();
$key = $cluster->keyOf(0);
$refusals = function (int $node) use ($cluster): int {
    preg_match('~errorstat_TRYAGAIN:count=(\d+)~', $cluster->ask($node, 'INFO', 'errorstats'), $m);
    return (int) ($m[1] ?? 0);
};
$child = start_php('
    $lease = (new RedisLock($argv[1], timeout: 30))->lease($argv[2], 60);
    echo "ready\n";
    fgets(STDIN);
    echo "number ", $lease->fence(), ".\n";
', [$cluster->dsn(), $key]);
$child->expect('~ready~');

/* The source has the lock, and no node has the number. Redis 6.2 redirects to the target. */
$cluster->beginMove($key, 0, 1);
$child->tell('');
eventually('a node refuses', fn () => $refusals(0) + $refusals(1) > 1);

/* The target has the lock, and no node has the number. */
$cluster->moveKeys($key, 0, 1);
$before = $refusals(1);
eventually('the target refuses', fn () => $refusals(1) > $before + 1);
$cluster->endMove($key, 0, 1);
matches('the number', '~^ready\nnumber \d{16}\.\n$~D', $child->output());

done();
?>
--EXPECT--
ok
