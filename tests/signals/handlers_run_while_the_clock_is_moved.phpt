--TEST--
Signal handlers, exceptions and the time limit end advance() before the clock is there; onLoss comes at its time.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

const TEN_DAYS = 864000;

/* Each second of the clock has three renewals, so that the ten days take a minute. */
$lock = new RedisLock('memory://');
$lease = $lock->lease('k', ttl: 1);
pcntl_async_signals(true);
pcntl_signal(SIGALRM, fn () => throw new LogicException('enough'));
pcntl_alarm(1);
throws('a handler throws', 'LogicException', '~^enough$~', fn () => RedisLock::advance(TEN_DAYS));
check('the clock was on its way', $lease->heldFor() < TEN_DAYS, $lease->heldFor());
check('the lease is held', $lease->isHeld() && $lease->verify());

foreach ([
    'pcntl_signal(SIGALRM, fn () => exit("bye\n")); pcntl_alarm(1);' => '~^bye~',
    'set_time_limit(1);' => '~Maximum execution time of 1 second exceeded in~',
] as $begin => $output) {
    $child = start_php('
        pcntl_async_signals(true);
        $lock = new RedisLock("memory://");
        $lease = $lock->lease("k", ttl: 1);
        register_shutdown_function(function () use ($lease) {
            echo "shutdown ", json_encode([$lease->isHeld(), $lease->heldFor() < 864000]), "\n";
        });
        ' . $begin . '
        RedisLock::advance(864000);
        echo "not here\n";');
    $said = $child->output();
    matches($begin, $output, $said);
    matches($begin, '~shutdown \[true,true\]$~', trim($said));
}

/* The lease that is lost at 60 s moves the clock by itself. */
$held = $lock->lease('l', ttl: 10);
$lost = $lock->lease('m', ttl: 10, maxHold: 60, onLoss: function () use ($held, &$at) {
    $at = $held->heldFor();
    RedisLock::advance(5);
});
RedisLock::advance(600);
check('onLoss came at its time', $at > 50 && $at < 70, $at);
check('the clock is where it should be', $held->heldFor() >= 600 && $held->heldFor() < 660,
    $held->heldFor());

done();
?>
--EXPECT--
ok
