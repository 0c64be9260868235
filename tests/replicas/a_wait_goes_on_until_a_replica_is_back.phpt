--TEST--
A wait goes on while too few replicas confirm, and gets the lock when they are back: a free lock, and one that is handed over.
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
require_once __DIR__ . '/../inc/waiter.inc';

/* The replica stands still: the lock is tried again and again, and granted when it is back. */
function gets_it_once_confirmed(Replicated $all, string $key, Waiter $waiter, int $before): void
{
    eventually("$key: it is tried again and again", fn () => $all->waits() > $before + 2);
    $all->resume();
    $result = $waiter->result();
    same("$key: it has the lock", $all->primary->cmd('GET', $key), $result['token']);
    same("$key: and so has the replica", $result['token'], $all->replicas[0]->cmd('GET', $key));
    check("$key: a try was not confirmed", $result['stats']['unconfirmed'] > 0, $result['stats']);
}

$all = start_replicated();
$lock = new RedisLock($all->dsn(rest: '&timeout=' . room(1.0) . '&replicas_timeout=' . room(0.1)));

/* The lock is free. */
foreach (['free' => [], 'own' => ['token' => 'my-token']] as $key => $arguments) {
    $all->pause();
    $before = $all->waits();
    $waiter = waiter($all->dsn(), $key, ['wait' => 20] + $arguments);
    gets_it_once_confirmed($all, $key, $waiter, $before);
}

foreach (['drawn' => [], 'own-woken' => ['token' => 'my-token']] as $key => $arguments) {
    $held = $lock->acquire($key, 30);
    $waiter = waiter($all->dsn(), $key, ['wait' => 20] + $arguments);
    queued($all->primary, 1);
    $all->pause();
    $before = $all->waits();
    $lock->release($key, $held);
    gets_it_once_confirmed($all, $key, $waiter, $before);
}

/* In vain: the exception comes at the deadline, and no key is left. */
$all->primary->cmd('FLUSHALL');
$all->pause();
$took = elapsed(fn () => throws('in vain', 'RedisLockConnectionException', '~replicas confirmed~',
    fn () => $lock->acquire('k', 30, wait: 0.5)));
between('in vain: at the deadline', 0.5, 0.5 + slack(0.3), $took);
no_key_is_left('in vain', $all->primary);

done();
?>
--EXPECT--
ok
