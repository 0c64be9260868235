--TEST--
With wake: false the shorter list of rights in docs/rights.md is enough for every call.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_by_topology('it needs more rights, which have a test of their own');
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$docs = file_get_contents(__DIR__ . '/../../docs/rights.md');
$form = '~^- With `wake: false` these rights are enough: `(\+[^`]+)`, and `(\+time)`\s+for `fence\(\)`~m';
check('docs/rights.md has the list', preg_match($form, $docs, $m) === 1);
$use = function (string $user, array $rights) use ($server): RedisLock {
    $server->cmd('ACL', 'SETUSER', $user, 'on', '>pw', 'resetchannels', '~lock:*', '-@all',
        '+client|setname', ...$rights);
    return new RedisLock($server->dsn('', "$user:pw"), 'lock:', wake: false);
};
$rights = explode(' ', $m[1]);
$lock = $use('poller', $rights);
$token = $lock->acquire('k');
matches('acquire()', TOKEN, $token);
same('a wait', null, $lock->acquire('k', wait: 0.05));
same('isLocked()', true, $lock->isLocked('k'));
same('owner()', $token, $lock->owner('k'));
check('remaining()', $lock->remaining('k') > 0);
same('inspect()', false, $lock->inspect('k')->isForeign);
same('extend()', true, $lock->extend('k', $token, 60));
$lease = $lock->resume('k', $token, room(0.6));
eventually('it is renewed', fn () => RedisLock::stats()['renewed'] >= 2);
same('nothing was denied', 0, count($server->cmd('ACL', 'LOG')));
/* The page that the message names has the rights. */
HAS_FENCES && throws('fence() without TIME', 'RedisLockServerException',
    '~\(see docs/rights\.md for the ACL rules that locks need\)~',
    fn () => $lease->fence());
same('release()', true, $lease->release());
same('forceRelease()', false, $lock->forceRelease('k'));
$lease = $use('fencer', [...$rights, $m[2]])->lease('k');
check('fence() with TIME', !HAS_FENCES || $lease->fence() > 0);

done();
?>
--EXPECT--
ok
