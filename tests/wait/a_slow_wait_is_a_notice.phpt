--TEST--
With redislock.slow_wait each wait that took longer is an E_NOTICE with the key and the last holder; by default there is none.
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
$unit = room(0.1);
$slow = (string) $unit;
$ttl = (int) (2000 * $unit);
$holder = new RedisLock($server->dsn(), 'p:', label: 'web-3:8812');
$lock = new RedisLock($server->dsn(), 'p:');
$notices = [];
set_error_handler(function (int $level, string $message) use (&$notices): bool {
    $notices[] = $message;
    return $level === E_NOTICE;
});
$wait = function (string $key, float $wait) use ($lock, &$notices): array {
    $notices = [];
    $token = $lock->acquire($key, wait: $wait);
    $token === null || $lock->release($key, $token);
    return $notices;
};
matches('it is held', TOKEN, (string) $holder->acquire('k', 60));
same('the default', '0', ini_get('redislock.slow_wait'));
same('by default', [], $wait('k', 1.5 * $unit));
ini_set('redislock.slow_wait', $slow);
same('no wait', [], $wait('k', 0));
undisturbed(0.05, fn () => same('a short wait', [], $wait('k', 0.01)));
undisturbed(0.05, function () use ($wait, $unit): void {
    $said = $wait('k', 1.5 * $unit);
    same('one notice', 1, count($said));
    matches('a wait in vain',
        '~^waited \d+(\.\d+)? s for the lock "k", last seen held by web-3:8812$~', $said[0] ?? '');
});
$server->cmd('SET', 'p:foreign', 'x', 'PX', $ttl);
matches('a wait that has won',
    '~^waited \d+(\.\d+)? s for the lock "foreign", last seen held by a client without a label$~',
    $wait('foreign', slack(5))[0] ?? '');
$notices = [];
throws('a section', 'RedisLockTimeoutException', '~.~',
    fn () => $lock->synchronized('k', fn () => 1, wait: 1.5 * $unit));
same('a section: notices', 1, count($notices));
same('a free lock', [], $wait('free', 1));

/* A handler that throws ends the call; a lock that was won is free again. */
set_error_handler(fn (int $level, string $message) => throw new Exception($message));
$server->cmd('SET', 'p:won', 'x', 'PX', $ttl);
throws('a handler throws', 'Exception', '~^waited .*"won"~',
    fn () => $lock->acquire('won', wait: slack(5)));
eventually('the lock is free', fn () => !$lock->isLocked('won'), 1.0);
$server->cmd('SET', 'p:won', 'x', 'PX', $ttl);
throws('a handler throws: lease()', 'Exception', '~^waited .*"won"~',
    fn () => $lock->lease('won', wait: slack(5)));
eventually('its lock is free', fn () => !$lock->isLocked('won'), 1.0);
throws('a handler throws after a wait in vain', 'Exception', '~^waited .*"k"~',
    fn () => $lock->acquire('k', wait: 1.5 * $unit));
restore_error_handler();
restore_error_handler();
same('the object still works', true,
    $lock->release('after', (string) $lock->acquire('after')));

$warned = 0;
set_error_handler(function (int $level) use (&$warned): bool {
    return $warned += $level === E_WARNING;
});
foreach (['x', '', '-1', 'NAN', '1s'] as $value) {
    same("ini_set() of $value", false, ini_set('redislock.slow_wait', $value));
}
same('it stays', $slow, ini_get('redislock.slow_wait'));
same('warnings', 5, $warned);

done();
?>
--EXPECT--
ok
