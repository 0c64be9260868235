--TEST--
A lease frees its lock at once when its last reference is gone: by unset, another value, the end of a function or an array.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$lease = $lock->lease('k');
$second = $lease;
unset($lease);
is_whole('one reference is left', $server, $second);
unset($second);
same('unset', [], $server->keys());
$lease = $lock->lease('k');
$lease = null;
same('null', [], $server->keys());
$lease = $lock->lease('a');
$lease = $lock->lease('b');
same('another lease', ['0:b'], $server->keys());
unset($lease);
$work = function () use ($lock, $server): int {
    $lease = $lock->lease('k');
    same('in the function', ['0:k'], $server->keys());
    return 1;
};
$work();
same('return', [], $server->keys());
@$lock->lease('k'); // without the @ it warns
same('never kept', [], $server->keys());
$all = array_map(fn ($n) => $lock->lease("k$n"), range(1, 5));
array_pop($all);
same('one of an array', 4, count($server->keys()));
$all = [];
same('the array', [], $server->keys());
try {
    (function () use ($lock): void {
        $lease = $lock->lease('k');
        throw new LogicException('x');
    })();
} catch (LogicException) {
}
same('an exception that is caught', [], $server->keys());
$lease = $lock->lease('k');
$weak = WeakReference::create($lease);
unset($lease);
same('a weak reference does not keep it', [null, []], [$weak->get(), $server->keys()]);
$generator = (function () use ($lock) {
    $lease = $lock->lease('k');
    yield 1;
    yield 2;
})();
same('a generator', 1, $generator->current());
same('suspended', ['0:k'], $server->keys());
unset($generator);
same('dropped', [], $server->keys());

done();
?>
--EXPECT--
ok
