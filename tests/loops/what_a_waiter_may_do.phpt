--TEST--
A waiter that refuses, returns too early, waits for a lock itself, or answers with anything else does no harm; what it throws ends the call.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';
require __DIR__ . '/../inc/loop.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$held = $lock->acquire('k', 60);

/* "I cannot wait here": asked once, and the rest of the call blocks. */
$asked = 0;
RedisLock::waitWith(function ($stream, bool $isWaiting) use (&$asked): bool {
    $asked++;
    return false;
});
between('a waiter that refuses: seconds', 0.2, slack(1), elapsed(
    fn () => same('the wait', null, $lock->acquire('k', 60, 0.2))));
same('asked', 1, $asked);

/* A waiter that returns at once is asked 100 times. */
foreach ([null, true] as $answer) {
    $asked = 0;
    RedisLock::waitWith(function () use (&$asked, $answer): ?bool {
        $asked++;
        return $answer;
    });
    between('a waiter that does not wait: seconds', 0.2, slack(1), elapsed(
        fn () => same('the wait', null, $lock->acquire('k', 60, 0.2))));
    between('asked, in a row of at most 100 for each answer', 100, 500, $asked);
}

/* One that polls now and then lets others run, and is not refused. */
$asked = 0;
RedisLock::waitWith(function () use (&$asked): void {
    $asked++;
    usleep(1500);
});
same('the wait', null, $lock->acquire('k', 60, 0.5));
check('it is asked all the time', $asked > 110 || slack(1) > 1, $asked);

/* Another answer. */
foreach ([1, 'yes', [], 0.0] as $answer) {
    RedisLock::waitWith(fn () => $answer);
    throws('the answer ' . show($answer), 'TypeError',
        '~^RedisLock::waitWith\(\): Argument #1 \(\$waiter\) must return a bool or null, \w+ '
        . 'returned$~', fn () => $lock->acquire('k', 60, 5));
}

/* A waiter that waits for a lock itself: that call blocks. */
$inner = 'not asked';
RedisLock::waitWith(function ($stream) use ($lock, &$inner): void {
    if ($inner === 'not asked') {
        $inner = $lock->acquire('k', 60, 0.05);
    }
    $read = [$stream];
    $none = null;
    stream_select($read, $none, $none, 5);
});
same('the outer wait', null, $lock->acquire('k', 60, 0.2));
same('the inner wait', null, $inner);

/* The stream. */
$seen = [];
RedisLock::waitWith(function ($stream, $isWaiting) use (&$seen): void {
    $seen[] = [$stream, @fread($stream, 10), @fwrite($stream, 'x'), @fclose($stream), $isWaiting];
    $read = [$stream];
    $none = null;
    same('it becomes readable', 1, stream_select($read, $none, $none, 5));
});
same('the wait', null, $lock->acquire('k', 60, 0.1));
foreach ($seen as [$stream, $read, $written, $closed]) {
    same('fread, fwrite, fclose', [false, false, false], [$read, $written, $closed]);
    same('after the call', 'resource (closed)', gettype($stream));
}
check('another holds the lock', in_array(true, array_column($seen, 4), true));

/* An exception. */
$thrown = new LogicException('of the waiter');
RedisLock::waitWith(function ($stream, $isWaiting) use ($thrown): void {
    if ($isWaiting) {
        throw $thrown;
    }
    $read = [$stream];
    $none = null;
    stream_select($read, $none, $none, 5);
});
foreach (['acquire', 'lease', 'synchronized'] as $method) {
    $arguments = $method === 'synchronized' ? [fn () => null, 60, 5] : [60, 5];
    same($method, $thrown,
        throws($method, 'LogicException', '~~', fn () => $lock->$method('k', ...$arguments)));
}
RedisLock::waitWith(fn () => throw $thrown);
$server->cmd('CLIENT', 'PAUSE', '50'); // so that no answer comes at once
throws('a release', 'LogicException', '~~', fn () => $lock->release('k', $held));
RedisLock::waitWith(null);
eventually('the release that was given up is repeated', fn () => $server->keys() === []);

/* What is no callable. */
throws('no callable', 'TypeError', '~^RedisLock::waitWith\(\): Argument #1 \(\$waiter\) must be a '
    . 'valid callback or null~', fn () => RedisLock::waitWith('no such function'));

done();
?>
--EXPECT--
ok
