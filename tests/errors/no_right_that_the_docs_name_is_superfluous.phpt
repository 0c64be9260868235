--TEST--
Without any one of the rights that docs/rights.md names, some operation is denied.
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
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$docs = file_get_contents(__DIR__ . '/../../docs/rights.md');
check('docs/rights.md has a rule',
    preg_match('~ACL SETUSER locker on >password \~lock:\*((?: \+[a-z|]+)+)$~m', $docs,
        $m) === 1);
$all = explode(' ', trim($m[1]));
check('rights', count($all) >= 17, $all);
$denied = function (array $rights) use ($server): int {
    $server->cmd('FLUSHALL');
    $server->cmd('SCRIPT', 'FLUSH');
    $server->cmd('ACL', 'SETUSER', 'locker', 'reset', 'on', '>pw', 'resetchannels', '~lock:*',
        '-@all', ...$rights);
    $server->cmd('ACL', 'LOG', 'RESET');
    $dsn = $server->dsn('', 'locker:pw');
    $lock = new RedisLock($dsn, 'lock:', persistent: false);
    $try = function (callable $call): mixed {
        try {
            return $call();
        } catch (RedisLockServerException) {
            return null;
        }
    };
    $try(fn () => $lock->release('k', (string) $lock->acquire('k')));
    $server->cmd('DEL', 'lock:k');
    $token = $try(fn () => $lock->acquire('k'));
    foreach (['isLocked', 'owner', 'remaining'] as $query) {
        $try(fn () => $lock->$query('k'));
    }
    $try(fn () => $lock->extend('k', (string) $token ?: 'x', 60));
    $waiter = waiter($dsn, 'k', ['wait' => room(0.5)], ['prefix' => 'lock:']);
    for ($until = now() + slack(0.15); now() < $until
            && (int) $server->client()->info('clients')['blocked_clients'] === 0;) {
        usleep(3000);
    }
    $try(fn () => $lock->release('k', (string) $token ?: 'x'));
    $server->cmd('DEL', 'lock:k');
    $waiter->result();
    $try(fn () => $lock->forceRelease('k'));
    $server->cmd('ZADD', 'lock:symfony', 1, 'x');
    $try(fn () => $lock->owner('symfony'));
    return count($server->cmd('ACL', 'LOG'));
};
same('with all of them', 0, $denied($all));
foreach ($all as $right) {
    check("without $right something is denied", $denied(array_diff($all, [$right])) > 0);
}

done();
?>
--EXPECT--
ok
