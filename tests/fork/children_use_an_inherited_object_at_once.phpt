--TEST--
Many children, and their children, use one inherited object at the same time.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$own = new RedisLock($server->dsn(), persistent: false);
$lock->isLocked('k');
$own->isLocked('k');
$work = function (string $name) use ($lock, $own): void {
    for ($i = 0; $i < 100; $i++) {
        foreach ([$lock, $own] as $object) {
            $token = $object->acquire("$name-$i");
            same('owner()', $token, $object->owner("$name-$i"));
            same('release()', true, $object->release("$name-$i", $token));
        }
    }
};
for ($n = 0; $n < 4; $n++) {
    $forks[] = in_fork(function () use ($work, $n): void {
        $work("child$n");
        $grandchild = in_fork(fn () => $work("grandchild$n"));
        $work("child$n");
        reap($grandchild);
    });
}
$work('parent');
array_map(reap(...), $forks);
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
