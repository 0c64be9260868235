--TEST--
$abort may use the object that waits: take locks, wait with another $abort, close and drop it, and fork.
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
$held = hold($server, 'k');

$asked = 0;
$inner = 0;
$token = $lock->acquire('k', 60, 60, abort: function () use ($lock, $held, &$asked, &$inner): bool {
    $token = $lock->acquire('other', 60);
    matches('acquire()', TOKEN, (string) $token);
    same('owner()', $held, $lock->owner('k'));
    same('a wait in a wait', null, $lock->acquire('other', wait: INF,
        abort: function () use ($lock, &$inner): bool {
            $inner++;
            same('a wait in that', null, $lock->lease('k', wait: 60, abort: fn () => true));
            return true;
        }));
    same('a section', 7, $lock->synchronized('third', fn () => 7, wait: 1, abort: fn () => true));
    same('release()', true, $lock->release('other', $token));
    if (++$asked === 3) {
        same('the lock that is waited for', true, $lock->release('k', $held));
    }
    return false;
});
matches('acquire()', TOKEN, (string) $token);
same('asked', 3, $asked);
same('the inner callable', 3, $inner);
same('release()', true, $lock->release('k', $token));
usleep(30_000);
same('keys', [], $server->locks());

/* The callable closes and drops the object, and has no other reference. */
$held = hold($server, 'k');
foreach ([true, false] as $persistent) {
    $asked = 0;
    $object = new RedisLock($server->dsn(), persistent: $persistent);
    same('acquire()', null, $object->acquire('k', wait: 60,
        abort: function () use (&$object, &$asked): bool {
            $object?->close();
            $object = null;
            gc_collect_cycles();
            return ++$asked === 2;
        }));
    same('asked', 2, $asked);
}
queued($server, 0);

/* A child that it forks gets an exception, and the parent's wait goes on. */
$parent = getmypid();
$child = 0;
try {
    $token = $lock->acquire('k', wait: 60, abort: function () use (&$child, $server): bool {
        if ($child > 0) {
            $server->cmd('DEL', 'k');
            return false;
        }
        $child = pcntl_fork();
        return $child === 0;
    });
} catch (Throwable $thrown) {
    if (getmypid() !== $parent) {
        $good = $thrown instanceof RedisLockConnectionException
            && str_contains($thrown->getMessage(), 'fork');
        exit($good && $lock->isLocked('k') ? 0 : 9);
    }
    throw $thrown;
}
if (getmypid() !== $parent) {
    exit(8);
}
reap($child);
matches('acquire()', TOKEN, (string) $token);
same('release()', true, $lock->release('k', $token));

/* In signal handlers, destructors and shutdown functions, it is asked, too. */
$held = hold($server, 'k');
pcntl_async_signals(true);
$results = [];
pcntl_signal(SIGUSR1, function () use ($lock, &$results): void {
    $results[] = $lock->lease('k', wait: 60, abort: fn () => true);
});
$sender = signal_later(SIGUSR1, 0.2);
same('the outer wait', null, $lock->acquire('k', wait: 60,
    abort: function () use (&$results): bool {
        return $results !== [];
    }));
$sender->finish();
same('in a handler', [null], $results);
$output = run_php('
    class Last { function __destruct() {
        global $lock;
        echo $lock->acquire("k", wait: 60, abort: fn () => true) === null ? "null" : "?", "\n";
    } }
    $lock = new RedisLock($argv[1]);
    $last = new Last;
    register_shutdown_function(function () use ($lock) {
        echo $lock->acquire("k", wait: 60, abort: fn () => true) === null ? "null" : "?", "\n";
    });', [$server->dsn()]);
same('at the end', "null\nnull\n", $output);
same('the holder', $held, $lock->owner('k'));

done();
?>
--EXPECT--
ok
