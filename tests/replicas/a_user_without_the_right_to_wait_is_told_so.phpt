--TEST--
Without the right to WAIT no lock is granted, the error says so at once, and no key is left; with the right the least rights suffice.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require_once __DIR__ . '/../inc/replicas.inc';

$all = start_replicated();
$docs = file_get_contents(__DIR__ . '/../../docs/rights.md');
check('docs/rights.md has a rule',
    preg_match('~ACL SETUSER locker on >password (\~lock:\*(?: \+[a-z|]+)+)$~m', $docs,
        $m) === 1);
$rights = array_diff(explode(' ', $m[1]), ['+wait']);
$all->primary->cmd('ACL', 'SETUSER', 'locker', 'on', '>pw', 'resetchannels', '-@all', ...$rights);
$lock = new RedisLock($all->dsn(rest: '&timeout=' . room(1.0) . '&replicas_timeout=' . room(0.1),
    credentials: 'locker:pw'), 'lock:');
$waits = [0.0, 5.0];
foreach ($waits as $wait) {
    throws("acquire(), wait $wait", 'RedisLockConnectionException', "~NOPERM.*\bwait\b.*WAIT~i",
        fn () => $lock->acquire('k', 30, $wait), 1.0);
    no_key_is_left("acquire(), wait $wait", $all->primary);
    throws("lease(), wait $wait", 'RedisLockConnectionException', '~NOPERM~',
        fn () => $lock->lease('k', 30, $wait), 1.0);
    no_key_is_left("lease(), wait $wait", $all->primary);
}
$all->primary->cmd('ACL', 'SETUSER', 'locker', '+wait');
$token = $lock->acquire('k', 30);
same('with the right', $token, $all->replicas[0]->cmd('GET', 'lock:k'));
same('extend()', true, $lock->extend('k', $token, 60));
same('release()', true, $lock->release('k', $token));

done();
?>
--EXPECT--
ok
