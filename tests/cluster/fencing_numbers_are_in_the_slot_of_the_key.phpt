--TEST--
On a cluster the fencing number is in the slot of its key, and a key without helper keys has none.
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
$lock = new RedisLock($cluster->dsn());
foreach ([
    /* key => the key of the number; null = there is none */
    'plain' => '{plain}::rl-fence',
    'a{b' => '{a{b}::rl-fence',
    '{user:7}:cart' => '{user:7}:cart::rl-fence',
    '}{a}' => '}{a}::rl-fence',
    'a}b' => null,
    'user:{}' => null,
] as $key => $name) {
    $lease = $lock->lease($key, 30);
    if ($name === null) {
        throws($key, 'RedisLockException', '~^the lock "' . preg_quote($key)
            . '" can have no fencing number: on a cluster .* no hash tag$~',
            fn () => $lease->fence());
        same("$key: held", true, $lease->isHeld());
        $lease->release();
        continue;
    }
    same("$key: in its slot", slot_of($key), slot_of($name));
    $first = $lease->fence();
    $node = $cluster->firstOwner(slot_of($key));
    same("$key: its node has it", (string) $first, $cluster->ask($node, 'GET', $name));
    $lease->release();
    $lease = $lock->lease($key, 30);
    check("$key: the next holder", $lease->fence() > $first);
    $lease->release();
}

done();
?>
--EXPECT--
ok
