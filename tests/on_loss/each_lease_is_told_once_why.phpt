--TEST--
onLoss, any kind of callable, is called once for each lease, with the lease, whose loss() returns the reason.
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
$other = new RedisLock($server->dsn());
$ear = new Ear();
$ttl = room(0.9);

/* Each reason. */
$ways = [
    'Deleted' => fn () => $server->cmd('DEL', 'k'),
    'TakenOver' => fn () => $server->cmd('SET', 'k', 'another'),
    'TakenOver ' => fn () => [$server->cmd('DEL', 'k'), $server->cmd('HSET', 'k', 'f', 'v')],
    'Expired' => fn () => $server->pause(),
    'MaxHold' => fn () => null,
];
foreach ($ways as $reason => $way) {
    $ear->heard = [];
    $lease = $lock->lease('k', $ttl, maxHold: $reason === 'MaxHold' ? 1.3 * $ttl : null,
        onLoss: $ear);
    same("$reason: held", [true, null], [$lease->isHeld(), $lease->loss()]);
    $way();
    runs_until("$reason: it is told", fn () => $ear->heard !== []);
    $server->resume();
    same("$reason: why", ['k ' . trim($reason)], $ear->heard);
    same("$reason: isHeld()", false, $lease->isHeld());
    $thrown = throws("$reason: assertHeld()", 'RedisLockLostException',
        '~^the lock "k" was lost: ~', $lease->assertHeld(...));
    same("$reason: getLoss()", $lease->loss(), $thrown->getLoss());
    compute(0.3);
    same("$reason: once", 1, count($ear->heard));
    unset($lease);
    $server->cmd('DEL', 'k');
}

/* Each kind of callable. */
function ear(RedisLockLease $lease): void
{
    Ear::$static[] = 'function: ' . $lease->key();
}
$callables = [
    'closure' => [function (RedisLockLease $lease) use ($ear): void { $ear($lease); },
        'closure Deleted'],
    'arrow function' => [fn ($lease) => $ear($lease), 'arrow function Deleted'],
    'object' => [$ear, 'object Deleted'],
    'method' => [[$ear, 'method'], 'method Deleted'],
    'first class' => [$ear->method(...), 'first class Deleted'],
    '__call' => [[$ear, 'nothing'], 'nothing: __call'],
    'first class __call' => [$ear->nothing(...), 'nothing: first class __call'],
    '__callStatic' => ['Ear::nothing', 'nothing: __callStatic'],
    'static' => ['Ear::statically', 'statically: static'],
    'static as array' => [['Ear', 'statically'], 'statically: static as array'],
    'function' => ['ear', 'function: function'],
    'without parameters' => [function () use ($ear): void { $ear->heard[] = 'without'; },
        'without'],
    'anonymous class' => [new class($ear) {
        public function __construct(private Ear $ear) {}
        public function __invoke($lease): void { ($this->ear)($lease); }
    }, 'anonymous class Deleted'],
];
$leases = [];
foreach ($callables as $what => [$callable]) {
    $leases[$what] = $lock->lease($what, $ttl, onLoss: $callable);
}
$leases['private'] = $ear->leaseWithPrivate($lock, 'private', $ttl);
$callables['private'] = [null, 'private Deleted'];
unset($callable);
$ear->heard = [];
$server->cmd('DEL', ...array_keys($callables));
runs_until('all are told', fn () => count($ear->heard) + count(Ear::$static) >= count($callables));
$expected = array_column($callables, 1);
$heard = [...$ear->heard, ...Ear::$static];
sort($expected);
sort($heard);
same('each kind of callable', $expected, $heard);
compute(0.3);
same('once', count($callables), count($ear->heard) + count(Ear::$static));
unset($leases);

/* lease() without renewal, resume(), synchronized(), and a lock that is entered again. */
$ear->heard = [];
$lease = $lock->lease('k', room(0.2), renew: false, onLoss: $ear);
runs_until('renew: false', fn () => $ear->heard === ['k Expired']);
$lease = $lock->resume('k', $lock->acquire('k', $ttl, wait: slack(1.0)), $ttl, onLoss: $ear);
$server->cmd('DEL', 'k');
runs_until('resume()', fn () => $ear->heard === ['k Expired', 'k Deleted']);
unset($lease);
$ear->heard = [];
throws('synchronized()', 'RedisLockLostException',
        '~^the lock "k" was lost: its key was deleted at the server$~',
        fn () => $lock->synchronized('k', function () use ($server, $ear): void {
    $server->cmd('DEL', 'k');
    runs_until('synchronized()', fn () => $ear->heard === ['k Deleted']);
}, $ttl, onLoss: $ear));
$nested = new RedisLock($server->dsn(), reentrant: true);
$ear->heard = [];
$told = [];
$note = function (RedisLockLease $lease) use (&$told): void { $told[] = spl_object_id($lease); };
$ttl = room(0.3);
$first = $nested->lease('k', $ttl, onLoss: $note);
$second = $nested->lease('k', $ttl);
$third = $nested->lease('k', $ttl, onLoss: $note);
$fourth = $nested->lease('k', $ttl, onLoss: $note);
$fourth->release();
$server->cmd('DEL', 'k');
runs_until('each lease of the same lock',
    function () use (&$told): bool { return count($told) >= 2; });
compute($ttl);
sort($told);
$expected = [spl_object_id($first), spl_object_id($third)];
sort($expected);
same('those that have one, and are not released', $expected, $told);

done();
?>
--EXPECT--
ok
