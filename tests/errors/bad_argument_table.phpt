--TEST--
Every bad argument is a ValueError or TypeError with a remedy, thrown at once, before anything is sent.
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

$server = start_server();
$lock = new RedisLock($server->dsn(), 'p:');
$lock->release('warm', $lock->acquire('warm'));
$monitor = $server->monitor();

const DAY = 86400.0;
$make = fn (...$options) => new RedisLock($server->dsn(), ...$options);
$long = str_repeat('k', 65535);

$rows = [];
/* Keys and tokens, of every method that takes them. */
$methods = [
    'acquire' => fn ($key) => $lock->acquire($key),
    'acquire with a wait' => fn ($key) => $lock->acquire($key, wait: 5),
    'release' => fn ($key) => $lock->release($key, 'token'),
    'extend' => fn ($key) => $lock->extend($key, 'token', 10),
    'isLocked' => fn ($key) => $lock->isLocked($key),
    'owner' => fn ($key) => $lock->owner($key),
    'remaining' => fn ($key) => $lock->remaining($key),
    'inspect' => fn ($key) => $lock->inspect($key),
    'forceRelease' => fn ($key) => $lock->forceRelease($key),
];
foreach ($methods as $name => $call) {
    $rows["$name: empty key"] = ['ValueError', '~\(\$key\).*empty~', fn () => $call('')];
    $rows["$name: key and prefix over 64 KiB"] = ['ValueError', '~\(\$key\).*(65536|64 KiB)~',
        fn () => $call($long)];
    $rows["$name: key of a helper (wait)"] = ['ValueError', '~\(\$key\).* :rl-wait~',
        fn () => $call('{stock}:rl-wait')];
    $rows["$name: key of a helper (wake)"] = ['ValueError', '~\(\$key\).* :rl-wake~',
        fn () => $call('{stock}::rl-wake')];
    $rows["$name: key of a helper (fence)"] = ['ValueError', '~\(\$key\).* :rl-fence~',
        fn () => $call('stock::rl-fence')];
    $rows["$name: key is an array"] = ['TypeError', '~\(\$key\).*string~', fn () => $call([])];
}
$rows['key is only the suffix'] = ['ValueError', '~ :rl-wake~',
    fn () => $make()->acquire('::rl-wake')];
$rows['key and prefix end in a suffix together'] = ['ValueError', '~ :rl-wake~',
    fn () => $make(prefix: 'stock::rl')->acquire('-wake')];
$tokens = [
    'acquire' => fn ($token) => $lock->acquire('k', token: $token),
    'acquire with a wait' => fn ($token) => $lock->acquire('k', wait: 5, token: $token),
    'release' => fn ($token) => $lock->release('k', $token),
    'extend' => fn ($token) => $lock->extend('k', $token, 10),
];
foreach ($tokens as $name => $call) {
    $rows["$name: empty token"] = ['ValueError', '~\(\$token\).*(empty|1 to 4096)~',
        fn () => $call('')];
    $rows["$name: token \"0\""] = ['ValueError', '~\(\$token\).*"0"~', fn () => $call('0')];
    $rows["$name: the token of a reservation"] = ['ValueError',
        '~\(\$token\).*"rl1.reserved".*reserved~', fn () => $call('rl1.reserved')];
    $rows["$name: token over 4096 bytes"] = ['ValueError', '~\(\$token\).*4096~',
        fn () => $call(str_repeat('t', 4097))];
    $rows["$name: token is an array"] = ['TypeError', '~\(\$token\).*string~', fn () => $call([])];
}

/* Times. */
foreach (['0' => 0, 'negative' => -1.5, 'below 5 ms' => 0.00499, 'above 366 days' => 366 * DAY + 1,
        'huge' => 1e300, 'NAN' => NAN, 'INF' => INF, '-INF' => -INF] as $what => $ttl) {
    $rows["acquire: ttl $what"] = ['ValueError', '~\(\$ttl\).*(0\.005|366)~',
        fn () => $lock->acquire('k', $ttl)];
    $rows["extend: ttl $what"] = ['ValueError', '~\(\$ttl\).*(0\.005|366)~',
        fn () => $lock->extend('k', 'token', $ttl)];
}
foreach (['negative' => -0.001, 'NAN' => NAN, '-INF' => -INF] as $what => $wait) {
    $rows["acquire: wait $what"] = ['ValueError', '~\(\$wait\).*(0|negative)~',
        fn () => $lock->acquire('k', wait: $wait)];
}
$rows['acquire: ttl is a word'] = ['TypeError', '~\(\$ttl\).*float~',
    fn () => $lock->acquire('k', 'long')];
$rows['acquire: wait is an array'] = ['TypeError', '~\(\$wait\).*float~',
    fn () => $lock->acquire('k', 1, [])];
$rows['acquire: no key'] = ['ArgumentCountError', '~at least 1~', fn () => $lock->acquire()];
$rows['release: no token'] = ['ArgumentCountError', '~exactly 2~', fn () => $lock->release('k')];
$rows['extend: no ttl'] = ['ArgumentCountError', '~exactly 3~',
    fn () => $lock->extend('k', 'token')];
$rows['acquire: too many'] = ['ArgumentCountError', '~at most 5~',
    fn () => $lock->acquire('k', 1, 1, 'token', null, 1)];
$rows['acquire: unknown name'] = ['Error', '~timeout~', fn () => $lock->acquire('k', timeout: 1)];

/* Options of the constructor. */
foreach (['timeout', 'connectTimeout'] as $name) {
    foreach (['0' => 0, 'negative' => -1, 'below 1 ms' => 0.0009, 'above 1 h' => 3600.5,
            'NAN' => NAN, 'INF' => INF] as $what => $value) {
        $rows["$name $what"] = ['ValueError', "~\(\\\$$name\).*(0\.001|3600)~",
            fn () => $make(...[$name => $value])];
    }
}
foreach (['0' => 0, 'negative' => -1, 'below 1 ms' => 0.0009, 'above 60 s' => 60.5, 'NAN' => NAN,
        'INF' => INF] as $what => $value) {
    $rows["retryDelay $what"] = ['ValueError', '~\(\$retryDelay\).*(0\.001|60)~',
        fn () => $make(retryDelay: $value, retryMaxDelay: 60)];
    $rows["retryMaxDelay $what"] = ['ValueError', '~\(\$retryMaxDelay\).*(0\.001|60|retryDelay)~',
        fn () => $make(retryMaxDelay: $value)];
}
$rows['retryMaxDelay below retryDelay'] = ['ValueError', '~retryDelay~',
    fn () => $make(retryDelay: 0.5, retryMaxDelay: 0.4)];
$rows['retryDelay above the default of retryMaxDelay'] = ['ValueError', '~retryMaxDelay~',
    fn () => $make(retryDelay: 0.5)];
foreach (['negative' => -0.1, '1' => 1, 'above' => 1.5, 'NAN' => NAN, 'INF' => INF]
        as $what => $value) {
    $rows["jitter $what"] = ['ValueError', '~\(\$jitter\).*0.*1~', fn () => $make(jitter: $value)];
}
foreach (['negative' => -0.01, 'above' => 0.51, 'NAN' => NAN, 'INF' => INF] as $what => $value) {
    $rows["driftFactor $what"] = ['ValueError', '~\(\$driftFactor\).*0.*0\.5~',
        fn () => $make(driftFactor: $value)];
}
$rows['retries negative'] = ['ValueError', '~\(\$retries\).*0~', fn () => $make(retries: -1)];
foreach (['negative' => -0.001, 'NAN' => NAN, '-INF' => -INF] as $what => $value) {
    $rows["outageWait $what"] = ['ValueError', '~\(\$outageWait\).*0 or more seconds, or INF~',
        fn () => $make(outageWait: $value)];
}
$rows['outageWait is a word'] = ['TypeError', '~\(\$outageWait\).*float~',
    fn () => $make(outageWait: 'long')];
$rows['outage_wait that differs'] = ['ValueError', '~outage_wait must be the same in all DSNs~',
    fn () => new RedisLock(['memory://a?outage_wait=1', 'memory://b', 'memory://c?outage_wait=2'])];
$rows['retries is a word'] = ['TypeError', '~\(\$retries\).*int~', fn () => $make(retries: 'many')];
$rows['prefix is an array'] = ['TypeError', '~\(\$prefix\).*string~', fn () => $make(prefix: [])];
$rows['prefix over 64 KiB'] = ['ValueError', '~(prefix|key).*(65536|65535|64 KiB)~',
    fn () => $make(prefix: str_repeat('p', 65536))->acquire('k')];
$rows['persistent is an array'] = ['TypeError', '~\(\$persistent\).*bool~',
    fn () => $make(persistent: [])];
$rows['wake is an array'] = ['TypeError', '~\(\$wake\).*bool~', fn () => $make(wake: [])];
$rows['reentrant is an array'] = ['TypeError', '~\(\$reentrant\).*bool~',
    fn () => $make(reentrant: [])];
foreach (['ssl' => [], 'retry' => 3] as $name => $value) {
    $rows["option $name, which is not there"] = ['Error', "~$name~",
        fn () => $make(...[$name => $value])];
}

foreach ($rows as $what => [$class, $message, $call]) {
    throws($what, $class, $message, $call, 0.5);
}
same('nothing was sent', [], $monitor->lines());
same('keys', [], $server->keys());
same('the object still works', true, $lock->release('k', $lock->acquire('k')));
check('rows', count($rows) >= 80, count($rows));
echo count($rows), " rows\n";

done();
?>
--EXPECTREGEX--
\d\d\d rows
ok
