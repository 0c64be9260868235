--TEST--
A call does not wait for servers that were stopped, and when they continue they have no key of a released lock.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require_once __DIR__ . '/../inc/members.inc';

foreach ([3 => [0], 4 => [3], 5 => [1, 2]] as $n => $hung) {
    $members = start_members($n);
    $rest = array_values(array_diff(range(0, $n - 1), $hung));
    $warm = $members->lock(timeout: 5.0);
    $warm->release('k', $warm->acquire('k'));
    $members->empty('at first');
    foreach (['warm' => $warm, 'cold' => $members->lock(timeout: 5.0, persistent: false)]
            as $what => $lock) {
        $what = "N = $n, $what";
        $members->pause(...$hung);
        $took = elapsed(fn () => $lock->acquire('k', 60), $token);
        matches("$what: token", TOKEN, (string) $token);
        check("$what: acquire() is quick", $took < slack(1.0), $took);
        $members->hold($what, 'k', $token, $rest);
        $took = elapsed(fn () => $lock->release('k', $token), $released);
        same("$what: release()", true, $released);
        check("$what: release() is quick", $took < slack(1.0), $took);
        $members->resume(...$hung);
        $members->empty($what);
        usleep(100_000);
        $members->empty("$what, a moment later");
    }

    /* The same, and the process is gone when they go on. */
    $members->pause(...$hung);
    $seen =
        run_php(
            '$l = new RedisLock(array_slice($argv, 1), timeout: 5.0); $t = $l->acquire("k", 60); var_dump($l->release("k", $t));',
            $members->dsns());
    same("N = $n: a process", "bool(true)\n", $seen);
    $members->resume(...$hung);
    $members->empty("N = $n: a process that ended");
}

done();
?>
--EXPECT--
ok
