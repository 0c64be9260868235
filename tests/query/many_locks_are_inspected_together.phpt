--TEST--
inspectAll() returns what inspect() returns of each lock, and asks for 64 of them in one write.
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
$lock = new RedisLock($server->dsn(), 'p:', label: 'web-3:8812');
same('no key', [], without_traffic('no key', $server, fn () => $lock->inspectAll([])));
same('free locks', ['b' => null, 'a' => null], $lock->inspectAll(['b', 'a']));

$token = $lock->acquire('held', 30);
$server->cmd('SET', 'p:foreign', 'x', 'PX', 20000);
$server->cmd('SET', 'p:forever', 'x');
$server->cmd('SET', 'p:reserved', '', 'PX', 10);
$server->cmd('RPUSH', 'p:list', 'x');
$server->cmd('ZADD', 'p:symfony', 60, 'x');
$server->cmd('SET', 'p:42', RedisLock::token(), 'PX', 20000);
$waiter = waiter($server->dsn(), 'p:held');
queued($server, 1);
$names = ['held', 'foreign', 'free', 'forever', 'list', 'symfony', '42', 'held'];
$states = $lock->inspectAll($names);
same('the keys, in their order',
    ['held', 'foreign', 'free', 'forever', 'list', 'symfony', 42], array_keys($states));
foreach ($states as $name => $state) {
    $name = (string) $name;
    if ($name === 'list') {
        same('a key of another type', null, $state);
        continue;
    }
    $expected = $lock->inspect($name);
    same("$name: class", $expected === null, $state === null);
    foreach (['label', 'waiters', 'waiting', 'since', 'isForeign', 'isReserved'] as $property) {
        same("$name: $property", $expected?->$property, $state?->$property);
    }
    if ($expected !== null && $expected->remaining !== INF) {
        between("$name: remaining", $expected->remaining, 30, $state->remaining);
    }
}
same('waiters', 1, $states['held']->waiters);
same('remaining without a TTL', INF, $states['forever']->remaining);
same('the waiter gets it', true, $lock->release('held', $token));
$waiter->result();

/* 640 locks: each is asked for once, 64 together. */
$many = array_map(fn (int $i) => "many:$i", range(1, 640));
foreach (array_slice($many, 0, 100) as $i => $name) {
    $server->cmd('SET', "p:$name", RedisLock::token(), 'PX', 60000);
}
if (topology() === null) {
    $reads = fn () => (int) $server->client()->info('stats')['total_reads_processed'];
    $monitor = $server->monitor();
    $before = $reads();
    $states = $lock->inspectAll($many);
    $after = $reads();
    same('commands', 640, count(array_filter($monitor->commands(),
        fn (array $command) => $command['args'][0] === 'EVALSHA')));
    check('reads of the server', $after - $before <= 640 / 4, $after - $before);
} else {
    $states = $lock->inspectAll($many);
}
same('all have an answer', $many, array_keys($states));
same('locked', 100, count(array_filter($states)));

/* Bad lists, before any traffic. */
without_traffic('bad lists', $server, function () use ($lock): void {
    throws('an empty key', 'ValueError', '~#1 \(\$keys\) must not be empty~',
        fn () => $lock->inspectAll(['a', '']));
    throws('a number', 'TypeError', '~#1 \(\$keys\) must contain only strings, but contains int~',
        fn () => $lock->inspectAll(['a', 1]));
    throws('a text as index', 'ValueError', '~must be a list of keys~',
        fn () => $lock->inspectAll(['x' => 'a']));
});

/* A server that cannot be asked. */
$down = new RedisLock($server->dsn(), 'p:', timeout: 0.2, connectTimeout: 0.2, persistent: false);
$server->pause();
$thrown = throws('a server that hangs', 'RedisLockConnectionException', '~~',
    fn () => $down->inspectAll($many), slack(5.0));
same('getKey()', 'many:1', $thrown->getKey());
$server->resume();

done();
?>
--EXPECT--
ok
