--TEST--
While a slot moves, each call finds the key where it is, at the source or at the target.
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
$lock = new RedisLock($cluster->dsn(), timeout: slack(2.0));
$at = fn (int $node, string $key): ?string =>
    (function () use ($cluster, $node, $key) {
        $client = $cluster->nodes[$node]->newClient();
        $client->cmd('ASKING');
        return $client->cmd('GET', $key);
    })();

/* A key at the source stays there; a new key is taken at the target. */
$tag = '{' . $cluster->keyOf(0) . '}';
$old = $lock->acquire("{$tag}old", 30);
$cluster->beginMove($tag, 0, 1);
same('the old one is held', null, $lock->acquire("{$tag}old", 30));
same('the old one is extended at the source', true, $lock->extend("{$tag}old", $old, 60));
$new = $lock->acquire("{$tag}new", 30);
matches('a new one', TOKEN, (string) $new);
same('it is at the target', $new, $at(1, "{$tag}new"));
same('a new one is held', null, $lock->acquire("{$tag}new", 30));
same('owner()', $new, $lock->owner("{$tag}new"));
same('isLocked()', true, $lock->isLocked("{$tag}new"));
same('extend()', true, $lock->extend("{$tag}new", $new, 60));
between('remaining()', 50, 60, $lock->remaining("{$tag}new"));
same('a section', 7, $lock->synchronized("{$tag}section", fn () => 7));
same('release() of another', false, $lock->release("{$tag}new", RedisLock::token()));
same('release() at the target', true, $lock->release("{$tag}new", $new));
same('it is gone', null, $at(1, "{$tag}new"));

/* A key that has moved is found at the target. */
$cluster->moveKeys($tag, 0, 1, ["{$tag}old"]);
same('moved, and held', null, $lock->acquire("{$tag}old", 30));
same('moved, and extended', true, $lock->extend("{$tag}old", $old, 60));
same('moved, and released', true, $lock->release("{$tag}old", $old));
same('forceRelease()', false, $lock->forceRelease("{$tag}old"));

/* A lease lives through it. */
$lease = $lock->lease("{$tag}lease", room(0.6));
usleep((int) (1e6 * room(0.9)));
same('the lease is renewed at the target', true, $lease->verify());
$cluster->endMove($tag, 0, 1);
usleep((int) (1e6 * room(0.9)));
same('and after the move', true, $lease->isHeld());
same('and released', true, $lease->release());
same('nothing is left', [], $cluster->locks());

done();
?>
--EXPECT--
ok
