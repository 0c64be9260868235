--TEST--
Where PHP forbids to switch Fibers, and in the destructors at the end, a call blocks and does its work.
--EXTENSIONS--
redislock
pcntl
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
RedisLock::waitWith(Loop::wait(...));

/* In a destructor, by any version: it yields or blocks, and takes the lock. */
final class Last
{
    public static array $tokens = [];

    public function __construct(private RedisLock $lock)
    {
    }

    public function __destruct()
    {
        self::$tokens[] = $this->lock->acquire('in a destructor', 60, 1);
    }
}
Loop::spawn(function () use ($lock): void {
    new Last($lock);
});
Loop::run();
matches('in a destructor', TOKEN, (string) Last::$tokens[0]);
$lock->release('in a destructor', Last::$tokens[0]);

/* In the finally of a Fiber that PHP closes by force. */
$closed = null;
$fiber = new Fiber(function () use ($lock, &$closed): void {
    try {
        Fiber::suspend(0);
    } finally {
        $closed = $lock->acquire('in finally', 60, 1);
    }
});
$fiber->start();
unset($fiber);
gc_collect_cycles();
matches('in the finally of a Fiber that is closed by force', TOKEN, (string) $closed);
$lock->release('in finally', $closed);

/* In a signal handler, $abort and onLoss. */
$in = [];
pcntl_async_signals(true);
pcntl_signal(SIGUSR1, function () use ($lock, &$in): void {
    $lock->release('in a handler', $in['handler'] = $lock->acquire('in a handler', 60, 1));
});
$held = $lock->acquire('k', 60);
Loop::spawn(function () use ($lock, &$in): void {
    same('the wait', null, $lock->acquire('k', 60, 5, abort: function () use ($lock, &$in): bool {
        $lock->release('in abort', $in['abort'] = $lock->acquire('in abort', 60, 1));
        send_signal(getmypid(), SIGUSR1);
        return true;
    }));
});
Loop::run();
send_signal(getmypid(), SIGUSR1);
matches('in a handler', TOKEN, (string) ($in['handler'] ?? ''));
matches('in abort', TOKEN, (string) ($in['abort'] ?? ''));
$lease = $lock->lease('lost', room(0.2), onLoss: function () use ($lock, &$in): void {
    $lock->release('in onLoss', $in['onLoss'] = $lock->acquire('in onLoss', 60, 1));
});
$server->cmd('DEL', 'lost');
await('the loss', 10, function () use (&$in): bool {
    return isset($in['onLoss']);
});
matches('in onLoss', TOKEN, (string) $in['onLoss']);
$lock->release('k', $held);
same('no key is left', [], $server->keys());

done();
?>
--EXPECT--
ok
