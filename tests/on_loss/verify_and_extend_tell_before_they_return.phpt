--TEST--
verify() and extend() report a loss before they return; release() reports none.
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
$ear = new Ear();
$short = room(0.2);
$ttl = room(0.3);
$finds = [
    'verify()' => fn (RedisLockLease $lease) => $lease->verify(),
    'extend()' => fn (RedisLockLease $lease) => $lease->extend(20),
];
foreach ($finds as $what => $find) {
    foreach (['Deleted' => ['DEL', 'k'], 'TakenOver' => ['SET', 'k', 'another', 'PX', '60000']]
            as $reason => $command) {
        foreach ([true, false] as $renew) {
            $ear->heard = [];
            $lease = $lock->lease('k', 30, wait: 1, renew: $renew, onLoss: $ear);
            $server->cmd(...$command);
            /* No place at which PHP runs signal handlers is between these. */
            same("$what, $reason", [false, ["k $reason"]], [$find($lease), $ear->heard]);
            same("$what, $reason: again", [false, ["k $reason"]], [$find($lease), $ear->heard]);
            compute(0.01);
            same("$what, $reason: once", ["k $reason"], $ear->heard);
            unset($lease);
            $server->cmd('DEL', 'k');
        }
    }
    /* An exception of onLoss goes out of the method. */
    $lease = $lock->lease('k', 30, wait: 1, onLoss: stop(...));
    $server->cmd('DEL', 'k');
    throws("$what, that throws", 'RedisLockLostException', '~deleted~', fn () => $find($lease));
    same("$what, that throws: again", false, $find($lease));
    unset($lease);
    /* Over since before the call. */
    $ear->heard = [];
    $lease = $lock->lease('k', $short, renew: false, onLoss: $ear);
    usleep((int) (1.2e6 * $short));
    $find($lease);
    same("$what, of a lease that is over", ['k Expired'], $ear->heard);
    unset($lease);
}

/* Ended by the script. */
$ear->heard = [];
foreach (['release()' => fn ($lease) => $lease->release(),
        'detach()' => fn ($lease) => $lease->detach(),
        'the end of the object' => fn () => null] as $what => $end) {
    foreach ([false, true] as $is_deleted) {
        $lease = $lock->lease('k', $ttl, onLoss: $ear);
        $is_deleted && $server->cmd('DEL', 'k');
        $end($lease);
        $loss = $lease->loss()?->name;
        same("$what: loss()", $what === 'the end of the object' ? null : 'Released', $loss);
        unset($lease);
        compute(4 / 3 * $ttl);
        same("$what: nothing is told", [], $ear->heard);
        $server->cmd('DEL', 'k');
    }
}
$lock->synchronized('k', fn () => null, $ttl, onLoss: $ear);
compute(4 / 3 * $ttl);
same('the end of a section', [], $ear->heard);

done();
?>
--EXPECT--
ok
