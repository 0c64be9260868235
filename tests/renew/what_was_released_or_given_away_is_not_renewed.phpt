--TEST--
A lock that was released, detached or freed is not renewed any more: a key that another holder sets there ends by its own TTL.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';
require __DIR__ . '/../inc/fake_server.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$unit = room(0.1);
$ends = [
    'release()' => fn ($lease) => $lease->release(),
    'detach()' => fn ($lease) => $lease->detach(),
    'the end of the object' => function (&$lease): void {
        $lease = null;
    },
    'verify() that finds it lost' => function ($lease) use ($server): void {
        $server->cmd('DEL', $lease->key());
        $lease->verify();
    },
];
foreach ($ends as $what => $end) {
    $lease = $lock->lease('k', 6 * $unit);
    $token = $lease->token();
    renewals_go_on("$what: at first");
    $lost = lost();
    $end($lease);
    $renewed = renewed();
    /* With the same token, so that a renewal would succeed. */
    $server->cmd('SET', 'k', $token, 'PX', (int) (4000 * $unit));
    $monitor = $server->monitor();
    usleep((int) (4.5e6 * $unit));
    same("$what: what is sent afterwards", [], $monitor->named('EVAL', 'EVALSHA'));
    same("$what: the key has ended", 0, $server->cmd('EXISTS', 'k'));
    same("$what: renewals afterwards", 0, renewed() - $renewed);
    same("$what: lost", str_contains($what, 'lost') ? 1 : 0, lost() - $lost);
    unset($lease);
}

/* By its TTL, counted from the last renewal. */
$lease = $lock->lease('k', 6 * $unit);
renewals_go_on('at first', 2);
$token = $lease->detach();
same('it is there', $token, $server->cmd('GET', 'k'));
between('with a TTL', 1, 6000 * $unit, $server->cmd('PTTL', 'k'));
eventually('it ends by itself', fn () => $server->keys() === [], 1.0);

/* From the moment on that release() is called, however long it takes, and also when it fails. */
$fake = fake_server([], $server, true);
$slow = new RedisLock($fake->dsn(), timeout: 8 * $unit);
/* The thread also repeats the release that failed, by EVAL. */
$by_thread =
    fn () => count(array_filter($fake->commands('EVALSHA'),
        fn ($command) => $command['connection'] === 2));
foreach (['slow' => [wait_for(5 * $unit), 'pass'], 'never answered' => ['hang']] as $what => $do) {
    $fake->rules([]);
    $lease = $slow->lease('k', 6 * $unit);
    renewals_go_on("$what: at first");
    $fake->rules([['on' => 'EVALSHA', 'connection' => 1, 'do' => $do]]);
    $before = $by_thread();
    $lost = lost();
    if ($what === 'slow') {
        $lease->release(); // by then its time may be over
    } else {
        throws('release()', 'RedisLockConnectionException', '~.~', $lease->release(...));
        same('isHeld()', false, $lease->isHeld());
    }
    same("$what: renewals meanwhile", 0, $by_thread() - $before);
    same("$what: lost", 0, lost() - $lost);
    same("$what: it has ended", 0, $server->cmd('EXISTS', 'k'));
    $fake->rules([]);
}

done();
?>
--EXPECT--
ok
