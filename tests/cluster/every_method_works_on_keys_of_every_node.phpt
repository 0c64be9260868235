--TEST--
Every method works on keys of every node, whichever node the DSN names.
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
foreach ([[0], [2, 1]] as $seeds) {
    $lock = new RedisLock($cluster->dsn(seeds: $seeds), persistent: false);
    foreach ($cluster->masters() as $node) {
        $key = $cluster->keyOf($node);
        $what = "$key of node $node";
        matches("$what: acquire()", TOKEN, $token = (string) $lock->acquire($key, 30));
        same("$what: its node has it", $token, $cluster->ask($node, 'GET', $key));
        same("$what: acquire() again", null, $lock->acquire($key, 30));
        same("$what: isLocked()", true, $lock->isLocked($key));
        same("$what: owner()", $token, $lock->owner($key));
        between("$what: remaining()", 20, 30, $lock->remaining($key));
        same("$what: inspect()", explode('@', $token)[1], $lock->inspect($key)->label);
        same("$what: extend()", true, $lock->extend($key, $token, 60));
        between("$what: remaining() after it", 50, 60, $lock->remaining($key));
        same("$what: release() of another", false, $lock->release($key, RedisLock::token()));
        same("$what: release()", true, $lock->release($key, $token));
        same("$what: isLocked() after it", false, $lock->isLocked($key));
        same("$what: inspect() after it", null, $lock->inspect($key));

        $lease = $lock->lease($key, 30);
        same("$what: lease", true, $lease->verify());
        same("$what: extend() of the lease", true, $lease->extend(60));
        $number = HAS_FENCES ? $lease->fence() : 0;
        $token = $lease->detach();
        $lease = $lock->resume($key, $token, 30);
        check("$what: resume()", $lease !== null);
        check("$what: fence()", !HAS_FENCES || $lease->fence() > $number);
        same("$what: resume() once", null, $lock->resume($key, $token, 30));
        same("$what: release() of the lease", true, $lease->release());
        same("$what: a section", 7, $lock->synchronized($key, fn () => 7));

        matches("$what: it is held", TOKEN, (string) $lock->acquire($key, 30));
        same("$what: forceRelease()", true, $lock->forceRelease($key));
        same("$what: forceRelease() of a free lock", false, $lock->forceRelease($key));
    }
}
same('nothing is left', [], $cluster->locks());

done();
?>
--EXPECT--
ok
