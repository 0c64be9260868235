--TEST--
With failover_grace and healthy Sentinels the first call of each new process is granted.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/sentinel.inc';
skip_without_sentinel();
?>
--FILE--
<?php
require __DIR__ . '/../inc/sentinel.inc';
require_once __DIR__ . '/../inc/child.inc';

const PROCESSES = 20;

$sentinels = start_sentinels(3, 1);
$ttl = room(0.9);
$grace = room(2.0);
$dsn = $sentinels->dsn("?failover_grace=$grace&timeout=" . room(1.0));
/* A call counts the first two that answer, and these may have known the primary for less time than
 * the two that answered an earlier call. */
$sentinels->awaitAge($grace + 0.1);

/* Each prints how its first calls end; the message of an exception is the reason. */
$code = '
    [, $dsn, $key, $how] = $argv;
    $ttl = (float) $argv[4];
    $lock = new RedisLock($dsn);
    try {
        if ($how === "acquire") {
            $token = $lock->acquire($key, $ttl);
            echo is_string($token) ? "granted" : "refused";
            echo $lock->release($key, $token) ? " released" : " gone";
        } elseif ($how === "lease") {
            $lease = $lock->lease($key, $ttl);
            echo $lease !== null ? "granted" : "refused";
            echo $lease?->release() ? " released" : " gone";
        } else {
            echo $lock->synchronized($key, fn () => "granted released", $ttl);
        }
    } catch (RedisLockException $e) {
        echo get_class($e), ": ", $e->getMessage();
    }
';
$ends = [];
for ($i = 0; $i < PROCESSES; $i++) {
    $how = ['acquire', 'lease', 'synchronized'][$i % 3];
    $end = $how . ' ' . trim(run_php($code, [$dsn, "k$i", $how, $ttl]));
    $ends[$end] = ($ends[$end] ?? 0) + 1;
}
ksort($ends);
same('all are granted', ['acquire granted released' => 7, 'lease granted released' => 7,
    'synchronized granted released' => 6], $ends);

/* After its idle connections were closed, a process is as cold. */
$lock = new RedisLock($dsn);
$warm = $lock->acquire('warm', $ttl);
$sentinels->primaryServer()->cmd('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
matches('with a new connection', TOKEN, (string) $lock->acquire('k', $ttl));

done();
?>
--EXPECT--
ok
