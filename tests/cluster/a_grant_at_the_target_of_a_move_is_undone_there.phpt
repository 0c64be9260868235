--TEST--
A grant whose answer does not come from the target of a move is undone there.
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
$lock = new RedisLock($cluster->dsn(), timeout: room(0.3));
$tag = '{' . $cluster->keyOf(0) . '}';
$lock->isLocked($tag);
$lock->isLocked($cluster->keyOf(1));
$cluster->beginMove($tag, 0, 1);
same('the target is known', false, $lock->isLocked("{$tag}x"));

$cluster->nodes[1]->pause();
throws('no answer', 'RedisLockConnectionException', '~~',
    fn () => $lock->acquire("{$tag}k", 30), 2.0);
$cluster->nodes[1]->resume();
eventually('it is undone', fn () => $cluster->locks() === []);
$cluster->endMove($tag, 0, 1);
same('nothing is left', [], $cluster->locks());

done();
?>
--EXPECT--
ok
