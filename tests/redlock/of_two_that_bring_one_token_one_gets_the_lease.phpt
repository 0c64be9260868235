--TEST--
On several servers at most one of several callers with the same token gets the lease; if none does, the token keeps its worth.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require_once __DIR__ . '/../inc/members.inc';

$members = start_members(3);
$lock = $members->lock();

/* Two calls in turn. */
$token = $lock->lease('k', 60)->detach();
$members->hold('detached', 'k', $token);
$first = $lock->resume('k', $token, 60);
check('the first', $first?->isHeld() === true);
same('the second', null, $members->lock(persistent: false)->resume('k', $token, 60));
same('verify() of the first', true, $first->verify());
$members->hold('the first has it', 'k', $first->token());
same('release()', true, $first->release());
$members->empty('released');

/* At once. */
$got = 0;
for ($round = 0; $round < 10; $round++) {
    $token = $lock->acquire("k$round", 60, token: "job $round");
    $file = test_folder() . '/got';
    $forks = [];
    $at = now() + 0.15;
    for ($i = 0; $i < 3; $i++) {
        $forks[] = in_fork(function () use ($members, $round, $token, $file, $at): void {
            $own = $members->lock();
            $own->isLocked("k$round");
            usleep((int) max(0, ($at - now()) * 1e6));
            $lease = $own->resume("k$round", $token, 60);
            if ($lease !== null) {
                file_put_contents($file, 'x', FILE_APPEND);
                same('it has it', true, $lease->verify());
                usleep(300_000);
                same('and has it still', true, $lease->verify());
                $lease->detach();
            }
        });
    }
    array_map(reap(...), $forks);
    $winners = strlen((string) @file_get_contents($file));
    @unlink($file);
    rmdir(dirname($file));
    check("round $round: at most one", $winners <= 1, $winners);
    $got += $winners;
    if ($winners === 0) {
        eventually("round $round: the token is back",
            fn () => $members->holding("k$round", $token) === 3);
    } else {
        check("round $round: it is worth nothing", $lock->resume("k$round", $token, 60) === null);
    }
}
check('mostly one has it', $got > 0, $got);

done();
?>
--EXPECT--
ok
