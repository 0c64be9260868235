--TEST--
A lock of a new process reaches the member whose connection takes longest, and its release, too.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/tls.inc';
skip_without_tls();
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/tls.inc';
require __DIR__ . '/../inc/members.inc';

$ca = new_authority();
$members = new Members([start_server(), start_tls_server($ca), start_server()]);
$dsns = [$members->servers[0]->dsn(), $members->servers[1]->tlsDsn("?ssl[cafile]=$ca->file"),
    $members->servers[2]->dsn()];

$new = sprintf('$lock = new RedisLock(json_decode($argv[1]), timeout: %F, connectTimeout: %F);',
    room(1.0), room(1.0));
$isFree = fn () =>
    array_filter($members->servers, fn ($server) => $server->locks() !== []) === [];

/* The locks that the process takes, and how it ends them. */
$forms = [
    'a token' => ['$token = $lock->acquire("k0")', '$lock->release("k0", $token)'],
    'two tokens' => ['$tokens = [$lock->acquire("k0"), $lock->acquire("k1")]',
        '$lock->release("k0", $tokens[0]) && $lock->release("k1", $tokens[1])'],
    'a lease' => ['$lease = $lock->lease("k0")', '$lease->release()'],
    'a lease that is not renewed' => ['$lease = $lock->lease("k0", renew: false)',
        'is_string($token = $lease->detach()) && $lock->release("k0", $token)'],
];
for ($round = 0; $round < 5; $round++) {
    foreach ($forms as $what => [$take, $end]) {
        $child = start_php($new . $take
            . '; echo "ready\n"; fgets(STDIN); echo ' . $end . ' ? "released\n" : "lost\n";'
            . 'fgets(STDIN);', [json_encode($dsns)]);
        $child->expect('~ready~');
        $keys = $what === 'two tokens' ? ['k0', 'k1'] : ['k0'];
        foreach ($keys as $key) {
            eventually("$what: on every member",
                fn () => count(array_filter($members->servers,
                    fn ($server) => $server->cmd('EXISTS', $key) === 1)) === 3);
        }
        $child->tell("");
        $child->expect('~released~');
        eventually("$what: released on every member", $isFree);
        $child->tell("");
        $child->output();
    }
}

/* A release at once: what is under way to the slow member is released after it. */
for ($round = 0; $round < 10; $round++) {
    same('released at once', "released\n", run_php($new
        . '$token = $lock->acquire("k"); usleep((int) $argv[2]);'
        . 'echo $lock->release("k", $token) ? "released\n" : "lost\n"; usleep(100000);',
        [json_encode($dsns), (string) ($round * 500)]));
}
eventually('nothing is left', $isFree);

done();
?>
--EXPECT--
ok
