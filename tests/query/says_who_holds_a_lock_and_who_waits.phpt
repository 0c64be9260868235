--TEST--
inspect() returns the label of the holder, the time left and the number of waiters in one round trip, and changes nothing.
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

$server = start_server();
$lock = new RedisLock($server->dsn(), 'p:', label: 'web-3:8812');
same('a free lock', null, $lock->inspect('k'));
$token = $lock->acquire('k', 30);
$monitor = $server->monitor();
$state = $lock->inspect('k');
same('one command', 1, count($monitor->commands()));
check('a RedisLockState', $state instanceof RedisLockState);
same('label', 'web-3:8812', $state->label);
between('remaining', 25, 30, $state->remaining);
same('waiters', 0, $state->waiters);
same('waiting', [], $state->waiting);
between('since', time() - 5, time(), $state->since);
same('isForeign', false, $state->isForeign);
same('isReserved', false, $state->isReserved);
same('keys', ['0:p:k'], $server->keys());
throws('it is readonly', 'Error', '~readonly~', function () use ($state): void {
    $state->label = 'x';
});
throws('it has no other property', 'Error', '~dynamic property~i', function () use ($state): void {
    $state->x = 1;
});
throws('only inspect() makes one', 'Error', '~private~', fn () => new RedisLockState());

$then = fn (RedisLock $lock, ?string $token) => $lock->release('p:k', $token);
$waiters = [waiter($server->dsn(), 'p:k', then: $then), waiter($server->dsn(), 'p:k', then: $then)];
queued($server, 2);
same('two wait', 2, $lock->inspect('k')->waiters);
$labels = array_map(fn (Waiter $waiter): string => gethostname() . ':' . $waiter->pid, $waiters);
sort($labels);
$waiting = $lock->inspect('k')->waiting;
sort($waiting);
same('their labels', $labels, $waiting);
same('the same by inspectAll()', 2, count($lock->inspectAll(['k'])['k']->waiting));
$before = $server->keys();
$lock->inspect('k');
same('nothing has changed', $before, $server->keys());
same('release()', true, $lock->release('k', $token));
foreach ($waiters as $waiter) {
    same('its release()', true, $waiter->result()['then']);
}
same('a free lock again', null, $lock->inspect('k'));

done();
?>
--EXPECT--
ok
