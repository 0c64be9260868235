--TEST--
A waiter is woken when the object or the request of the holder ends, in every way.
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
foreach (['unset', 'synchronized()', '', 'exit;', 'throw new LogicException("x");',
        'trigger_error("x", E_USER_ERROR);'] as $end) {
    $in_process = in_array($end, ['unset', 'synchronized()'], true);
    if ($end === 'unset') {
        $lease = $lock->lease('k', 60);
        $waiter = waiter($server->dsn(), 'k');
        queued($server, 1);
        $at = now();
        unset($lease);
    } elseif ($end === 'synchronized()') {
        $lock->synchronized('k', function () use ($server, &$waiter, &$at): void {
            $waiter = waiter($server->dsn(), 'k');
            queued($server, 1);
            $at = now();
        }, 60);
    } else {
        $child =
            start_php(
                '$lease = (new RedisLock($argv[1]))->lease("k", 60); echo "ready\n"; fgets(STDIN);'
                . $end, [$server->dsn()]);
        $child->expect('~ready~');
        $waiter = waiter($server->dsn(), 'k');
        queued($server, 1);
        $at = now();
        $child->tell('go');
        $child->output();
    }
    $result = $waiter->result();
    matches("$end: token", TOKEN, (string) $result['token']);
    check("$end: at once", $result['at'] - $at < slack(0.8), $result['at'] - $at);
    same("$end: woken", [1, 0], [$result['stats']['wake_ups'], $result['stats']['wake_failures']]);
    $lock->forceRelease('k');
}

done();
?>
--EXPECT--
ok
