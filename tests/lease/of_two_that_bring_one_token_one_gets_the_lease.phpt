--TEST--
Of several callers of resume() with the same token one gets the lease; the others get null, and free nothing.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());

/* Two calls in turn: a job that its queue delivers twice. */
$token = $lock->lease('k', 60)->detach();
$first = $lock->resume('k', $token, 60);
$second = (new RedisLock($server->dsn()))->resume('k', $token, 60);
same('the second', null, $second);
is_whole('the first', $server, $first);
same('verify() of the first', true, $first->verify());
check('a fresh token', $first->token() !== $token);
unset($second);
same('release() of the first', true, $first->release());
same('keys', [], $server->keys());
same('afterwards', null, $lock->resume('k', $token, 60));

/* At once, from several processes. */
for ($round = 0; $round < 5; $round++) {
    $token = $lock->acquire('k', 60, token: "job $round");
    $workers = [];
    for ($i = 0; $i < 4; $i++) {
        $workers[] = start_and_stop_at('$lock = new RedisLock($argv[1]); $lock->isLocked("k");',
            '$lease = $lock->resume("k", $argv[2], 60); echo $lease === null ? "none" : "held"; fgets(STDIN); echo $lease?->verify() === false ? " and lost" : "";',
            [$server->dsn(), $token]);
    }
    foreach ($workers as $worker) {
        $worker->tell('go');
    }
    foreach ($workers as $worker) {
        $worker->expect('~none|held~');
    }
    $held = 0;
    foreach ($workers as $worker) {
        $worker->tell('end');
        $output = $worker->output();
        $held += str_contains($output, 'held');
        check("round $round: none is lost", !str_contains($output, 'lost'), $output);
    }
    same("round $round: so many got it", 1, $held);
    same("round $round: its end frees it", [], $server->keys());
}

done();
?>
--EXPECT--
ok
