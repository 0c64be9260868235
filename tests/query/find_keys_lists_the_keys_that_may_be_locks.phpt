--TEST--
findKeys() lists the strings that begin with a prefix, without the keys of waiters, and no more than its limit.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';
require_once __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn(), 'p:');
same('no key', [], $lock->findKeys());
$token = $lock->acquire('stock:1', 60);
$slots = [$lock->lease('slots', 60, slots: 2), $lock->lease('slots', 60, slots: 2)];
$fenced = $lock->lease('fenced', 60);
HAS_FENCES && $fenced->fence();
$server->cmd('SET', 'p:cached', 'x');
$server->cmd('SET', 'stock:3', 'x');
$server->cmd('RPUSH', 'p:list', 'x');
$server->cmd('ZADD', 'p:stock:set', 1, 'x');
$waiter = waiter($server->dsn(), 'p:stock:1');
queued($server, 1);
/* On a cluster the second slot is named "{p:slots}#2". */
$slots_found = topology() === 'cluster' ? ['slots'] : ['slots', 'slots#2'];
same('all', ['cached', 'fenced', ...$slots_found, 'stock:1'], $lock->findKeys());
same('a prefix', [...$slots_found, 'stock:1'], $lock->findKeys('s'));
same('a whole key', ['stock:1'], $lock->findKeys('stock:1'));
same('nothing', [], $lock->findKeys('nothing'));
check('release()', $lock->release('stock:1', $token));
$waiter->result();

/* More than one page, and a limit. */
$many = array_map(fn (int $i) => "many:$i", range(1, 1234));
foreach ($many as $name) {
    $server->cmd('SET', "p:$name", 'x');
}
sort($many, SORT_STRING);
same('many', $many, $lock->findKeys('many:'));
same('a limit', 10, count($lock->findKeys('many:', 10)));
same('each once', $many, array_values(array_unique($lock->findKeys('many:', 5000))));

/* A prefix is no pattern. */
foreach (['a*b', 'a?b', 'a[b]', 'a\\b', 'a^-b', "a\0b", 'a{b', 'a{}b', '订单:42'] as $name) {
    $server->cmd('SET', "p:odd:$name", 'x');
    same("the key $name", ["odd:$name"], $lock->findKeys("odd:$name"));
    same("not $name", [], (new RedisLock($server->dsn(), "p:odd:$name"))->findKeys('x'));
    same("a prefix of the object, $name", [substr($name, -1)],
        (new RedisLock($server->dsn(), 'p:odd:' . substr($name, 0, -1)))->findKeys());
}
same('star', [], $lock->findKeys('m*'));
same('numbers are texts', ['42'], (function () use ($lock, $server): array {
    $server->cmd('SET', 'p:42', 'x');
    return $lock->findKeys('4');
})());

/* Bad arguments, before any traffic. */
without_traffic('bad arguments', $server, function () use ($lock): void {
    throws('no limit', 'ValueError', '~#2 \\(\$limit\\) must be at least 1~',
        fn () => $lock->findKeys('', 0));
    throws('a long prefix', 'ValueError', '~#1 \\(\$prefix\\) must be shorter~',
        fn () => $lock->findKeys(str_repeat('x', 65536)));
});

/* A server that cannot be asked. */
$down = new RedisLock($server->dsn(), 'p:', timeout: 0.2, connectTimeout: 0.2, persistent: false);
$server->pause();
throws('a server that hangs', 'RedisLockConnectionException', '~~', fn () => $down->findKeys(),
    slack(5.0));
$server->resume();

done();
?>
--EXPECT--
ok
