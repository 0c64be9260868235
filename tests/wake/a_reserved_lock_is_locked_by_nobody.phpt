--TEST--
While the lock is reserved for the next waiter, for at most 10 ms, it is locked but has no owner, and acquire() is refused.
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
$lock = new RedisLock($server->dsn());
$polling = new RedisLock($server->dsn(), wake: false);
same('connected', [false, false], [$lock->isLocked('k'), $polling->isLocked('k')]);
$seen = 0;
for ($try = 0; $try < 50 && $seen < 3; $try++) {
    $server->cmd('SET', 'k', '', 'PX', 10);
    $answers = [$lock->isLocked('k'), $lock->owner('k'), $lock->remaining('k'),
        ...[$lock->acquire('k'), $polling->acquire('k')], $lock->release('k', 'x')];
    $pttl = $server->cmd('PTTL', 'k');
    if ($pttl >= 0 && $pttl <= 10) { // else it has lapsed meanwhile
        $left = $answers[2];
        check('remaining()', $left >= 0 && $left <= 0.01, $left);
        same('isLocked(), owner(), acquire(), release()', [true, null, $left, null, null, false],
            $answers);
        $seen++;
    }
    $server->cmd('DEL', 'k');
}
check('it was seen', $seen > 0);

/* The try of a short wait does not take the lock away from its reserved waiter either. */
$seen = 0;
for ($try = 0; $try < 100 && $seen < 10; $try++) {
    $waiting = [$lock, $polling][$try % 2];
    $start = now();
    $server->cmd('SET', 'k', '', 'PX', 10);
    $token = $waiting->acquire('k', wait: 0.001);
    if (now() - $start < 0.009) {
        same('a short wait', null, $token);
        $seen++;
    }
    $server->cmd('DEL', 'k');
}
check('it was tried', $seen > 0);

/* A wait takes it when it has lapsed. */
foreach ([$lock, $polling] as $waiting) {
    $server->cmd('SET', 'k', '', 'PX', 10);
    $took = elapsed(fn () => $waiting->acquire('k', wait: 10), $token);
    matches('token', TOKEN, (string) $token);
    check('soon', $took < slack(0.6), $took);
    $waiting->release('k', $token);
}

/* Empty for longer: no reservation of ours. */
$server->cmd('SET', 'k', '', 'PX', 60000);
same('a wait in vain', null, $lock->acquire('k', wait: 0.05));
$server->cmd('SET', 'k', '', 'PX', 150);
matches('a wait until its end', TOKEN, (string) $lock->acquire('k', wait: 10));

done();
?>
--EXPECT--
ok
