--TEST--
The end of a script frees a thousand leases on all nodes at once, also of slots that have moved.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/cluster.inc';
skip_without_cluster();
?>
--FILE--
<?php
require __DIR__ . '/../inc/cluster.inc';

$cluster = start_cluster();
/* The end of a script has little time: a script that stalls leaves locks to their TTL. */
undisturbed(0.05, function () use ($cluster): void {
    array_map(fn ($i) => $cluster->ask($i, 'FLUSHALL'), $cluster->masters());
    $child = start_php('
        $lock = new RedisLock($argv[1]);
        for ($i = 0; $i < 1000; $i++) {
            $leases[] = $lock->lease("lease$i", 30);
        }
        echo "ready\n";
        fgets(STDIN);
        $start = hrtime(true);
        register_shutdown_function(function () use ($start): void {
            echo "ends\n";
        });
    ', [$cluster->dsn()]);
    $child->expect('~ready~');
    same('all are there', 1000, count($cluster->keys()));
    foreach (['lease0', 'lease1', 'lease2'] as $key) {
        $cluster->move($key, ($cluster->owner($key) + 1) % 3);
    }
    $child->tell('');
    $child->expect('~ends~');
    $at = now();
    $child->output();
    between('at once', 0, 0.5 * slowness(), now() - $at);
    same('nothing is left', [], $cluster->keys());
});


done();
?>
--EXPECT--
ok
