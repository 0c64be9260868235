--TEST--
Two processes hand a lock over to each other, and each holder renews it with its own TTL; no other process gets it in between.
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

$server = start_server();
$lock = new RedisLock($server->dsn());
$code = '
    $lock = new RedisLock($argv[1]);
    while (($line = fgets(STDIN)) !== false && ($token = trim($line)) !== "end") {
        $lease = $lock->resume("k", $token, (float) $argv[2]);
        if ($lease === null) { die("the lock is taken\n"); }
        echo "resumed\n";
        fgets(STDIN);
        echo $lease->isHeld() ? "held " : "lost ", $lease->detach(), ".\n";
    }
    echo "end, ", RedisLock::stats()["renewed"] > 0 ? "renewed" : "not renewed";';
$unit = room(0.1);
$other = start_php($code, [$server->dsn(), 5 * $unit]);
$lease = $lock->lease('k', 6 * $unit);
$rival = in_fork(function () use ($server): void {
    $lock = new RedisLock($server->dsn());
    for ($until = now() + 60; $server->cmd('EXISTS', 'over') === 0
            && now() < $until; usleep(1000)) {
        same('taken by a third one', null, $lock->acquire('k'));
    }
});
for ($turn = 1; $turn <= 2; $turn++) {
    usleep((int) (7e6 * $unit)); // longer than the TTL
    $token = $lease->detach();
    same("turn $turn: detach()", $token, $server->cmd('GET', 'k'));
    same("turn $turn: isHeld() of what was given away", false, $lease->isHeld());
    $other->tell($token);
    $other->expect("~(.*resumed){{$turn}}~s");
    $until = now() + 8 * $unit;
    $samples = sample_pttl($server, ['k'], fn () => now() < $until)['k'];
    between("turn $turn: the other one renews it with its TTL", 1, 5000 * $unit,
        $samples['most']);
    between("turn $turn: in time", 1, 5000 * $unit, $samples['least']);
    $other->tell('give it back');
    $output = $other->expect("~(.*held [^.]+\.[^.]+\.){{$turn}}~s");
    $token = substr(strrchr(rtrim($output, ".\n"), ' '), 1);
    $asked = now();
    $lease = $lock->resume('k', $token, 6 * $unit);
    $pttl = $server->cmd('PTTL', 'k');
    $passed = now() - $asked;
    same("turn $turn: back", true, $lease->isHeld());
    between("turn $turn: with its own TTL", min(5000 * $unit + 1, 1000 * (6 * $unit - $passed) - 1),
        6000 * $unit, $pttl);
}
stays_held('in the end', $server, $lease, 8 * $unit);
$other->tell('end');
matches('the other one', '~end, renewed$~D', $other->output());
$server->cmd('SET', 'over', 1);
reap($rival);
same('release()', true, $lease->release());
same('keys', ['0:over'], $server->keys());

done();
?>
--EXPECT--
ok
