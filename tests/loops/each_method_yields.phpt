--TEST--
Each method that asks a server yields, in whatever order calls that are under way at once end.
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
$lock = new RedisLock($server->dsn(), persistent: false);
RedisLock::waitWith(Loop::wait(...));
$has = new stdClass();
$calls = [
    'acquire' => fn () => $has->token = $lock->acquire('plain', 60),
    'extend' => fn () => same('extend()', true, $lock->extend('plain', $has->token, 30)),
    'isLocked' => fn () => same('isLocked()', true, $lock->isLocked('plain')),
    'owner' => fn () => same('owner()', $has->token, $lock->owner('plain')),
    'remaining' => fn () => between('remaining()', 1, 30, $lock->remaining('plain')),
    'inspect' => fn () => same('inspect()', true, $lock->inspect('plain')->isForeign === false),
    'inspectAll' => fn () => same('inspectAll()', 2, count($lock->inspectAll(['plain', 'none']))),
    'findKeys' => fn () => same('findKeys()', ['plain'], $lock->findKeys('pl')),
    'release' => fn () => same('release()', true, $lock->release('plain', $has->token)),
    'forceRelease' => fn () => same('forceRelease()', false, $lock->forceRelease('plain')),
    'lease' => fn () => $has->lease = $lock->lease('leased', 60),
    'verify' => fn () => same('verify()', true, $has->lease->verify()),
    'lease extend' => fn () => same('its extend()', true, $has->lease->extend(60)),
    'fence' => HAS_FENCES ? fn () => between('fence()', 1, PHP_INT_MAX, $has->lease->fence())
        : fn () => $has->lease->verify(),
    'lease release' => fn () => same('its release()', true, $has->lease->release()),
    'several keys' => function () use ($lock): void {
        $lease = $lock->lease(['a', 'b', 'c'], 60);
        same('its release()', true, $lease->release());
    },
    'synchronized' => fn () => same('synchronized()', 7, $lock->synchronized('s', fn () => 7)),
    'once' => fn () => same('once()', true, $lock->once('o', fn () => null, for: 0.005)),
    'slots' => fn () => same('slot()', 1, $lock->lease('slots', 60, slots: 3)->slot()),
    'resume' => function () use ($lock): void {
        $token = $lock->acquire('r', 60);
        same('resume()', true, $lock->resume('r', $token, 60)->release());
    },
];
foreach ($calls as $name => $call) {
    $before = Loop::$waits;
    $server->cmd('CLIENT', 'PAUSE', '20'); // so that no answer comes at once
    Loop::spawn($call);
    Loop::run();
    check("$name yields", Loop::$waits > $before);
}

/* Calls under way at once, which end in the opposite order. */
$holds = [];
for ($i = 0; $i < 3; $i++) {
    $holds[$i] = $lock->acquire("turn $i", 60);
    same('acquire() in {main} blocks', true, is_string($holds[$i]));
}
$ended = [];
for ($i = 0; $i < 3; $i++) {
    Loop::spawn(function () use ($lock, $i, &$ended): void {
        $lease = $lock->lease("turn $i", 60, 60);
        $ended[] = $i;
        $lease->release();
    });
}
for ($i = 2; $i >= 0; $i--) {
    $lock->release("turn $i", $holds[$i]);
    Loop::run(function () use (&$ended, $i): bool {
        return in_array($i, $ended, true);
    });
}
Loop::run();
same('the order of the ends', [2, 1, 0], $ended);
eventually('no key is left', fn () => array_diff($server->keys(), ['0:leased::rl-fence']) === []);

done();
?>
--EXPECT--
ok
