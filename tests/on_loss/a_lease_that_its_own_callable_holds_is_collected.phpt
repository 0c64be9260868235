--TEST--
A callable that refers to its own lease is a cycle: the collector finds it, release() and the call itself end it, and nothing leaks.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/on_loss.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
final class Counted
{
    public static int $there = 0;
    public mixed $kept = null;

    public function __construct() { self::$there++; }
    public function __destruct() { self::$there--; }
    public function told(): void {}
}
$ttl = room(0.6);
$cycle = function (string $key) use ($lock, $ttl): RedisLockLease {
    $counted = new Counted();
    $lease = $lock->lease($key, $ttl, onLoss: function () use (&$lease, $counted): void {});
    return $lease;
};
gc_collect_cycles();

/* Collected, with its lock. */
$cycle('k');
same('a cycle', [1, ['0:k']], [Counted::$there, $server->locks()]);
gc_collect_cycles();
same('collected', [0, []], [Counted::$there, $server->locks()]);

/* By a method of an object that holds it. */
(function () use ($lock, $ttl): void {
    $counted = new Counted();
    $counted->kept = $lock->lease('k', $ttl, onLoss: [$counted, 'told']);
})();
same('a cycle', [1, ['0:k']], [Counted::$there, $server->locks()]);
gc_collect_cycles();
same('collected', [0, []], [Counted::$there, $server->locks()]);

/* Ended without the collector. */
$ends = [
    'release()' => fn (RedisLockLease $lease) => $lease->release(),
    'detach()' => fn (RedisLockLease $lease) => $lock->release('k', $lease->detach()),
    'the call' => function (RedisLockLease $lease) use ($server): void {
        $server->cmd('DEL', 'k');
        $lease->verify();
    },
    'release() of a lost one' => function (RedisLockLease $lease) use ($server): void {
        $server->cmd('DEL', 'k');
        $lease->release();
    },
];
foreach ($ends as $what => $end) {
    $end($cycle('k'));
    same("$what: nothing is left", [0, []], [Counted::$there, $server->locks()]);
}
gc_collect_cycles();

/* A refused lease, and a bad argument, keep nothing. */
$server->cmd('SET', 'k', 'another');
$counted = new Counted();
same('refused', null, $lock->lease('k', onLoss: function () use ($counted): void {}));
try {
    $ignored = $lock->lease('k', ttl: -1, onLoss: function () use ($counted): void {});
} catch (ValueError) {
}
unset($counted);
same('nothing is left', 0, Counted::$there);
$server->cmd('DEL', 'k');

/* A destructor of what it kept may use the lease, and throw. */
final class Uses
{
    public ?RedisLockLease $lease = null;

    public function __destruct()
    {
        same('over', [false, false], [$this->lease->isHeld(), $this->lease->release()]);
        throw new LogicException('of the destructor');
    }
}
$uses = new Uses();
$uses->lease = $lease = $lock->lease('k', onLoss: function () use ($uses): void {});
unset($uses);
throws('a destructor', 'LogicException', '~of the destructor~', fn () => $lease->release());
same('it was released', [], $server->locks());

/* Left to the end of the script: a debug build of PHP reports leaks. Without its allocator PHP does
 * not free the memory of any cycle at the end. */
if (under_valgrind()) {
    done();
    exit;
}
$output = run_php('
    $lock = new RedisLock($argv[1]);
    $lease = $lock->lease("k", onLoss: function () use (&$lease): void {});
    ', [$server->dsn()]);
no_leaks_told('the end of the script', $output);
same('output', '', PHP_DEBUG ? '' : $output);
same('keys', [], $server->locks());

done();
?>
--EXPECT--
ok
