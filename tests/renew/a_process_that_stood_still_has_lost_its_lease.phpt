--TEST--
A process that stood still for longer than the TTL has lost its lease, also when a confirmation was on its way.
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
$fake = fake_server([], $server, true);
/* The process checks the lease as soon as it runs again, and then until it is ordered to end. */
$code = '
    $lease = (new RedisLock($argv[1]))->lease($argv[2], (float) $argv[3]);
    stream_set_blocking(STDIN, false);
    echo "ready\n";
    for ($last = hrtime(true), $seen = ""; fgets(STDIN) === false; $last = $now) {
        $now = hrtime(true);
        if ($now - $last > 5e8 * $argv[4]) {
            echo $lease->isHeld() ? "held\n" : "lost\n";
        }
        usleep(1000);
    }
    for ($i = 0; $i < 500 * $argv[4] && RedisLock::stats()["lost"] === 0; $i++) {
        usleep(2000);
    }
    echo $lease->isHeld() ? "held" : "lost", ", ", RedisLock::stats()["lost"];';
$unit = room(1.0);
$children = ['asleep' => start_php($code, [$server->dsn(), 'asleep', 0.6 * $unit, $unit]),
    'answered' => start_php($code,
        [$fake->dsn("?timeout=$unit"), 'answered', 1.8 * $unit, $unit])];
foreach ($children as $child) {
    $child->expect('~ready~');
}
/*
 * The second one is stopped when its renewal is on its way: the answer comes, and waits. When it
 * goes on, the time that was proven is over; that of the renewal would not be.
 */
$fake->rules([rule('EVALSHA', [wait_for(0.1 * $unit), 'pass'])]);
$before = count($fake->commands('EVALSHA'));
eventually('a renewal is on its way', fn () => count($fake->commands('EVALSHA')) > $before);
$sent = now();
foreach ($children as $child) {
    $child->signal(SIGSTOP);
}
usleep((int) (150000 * $unit));
same('it is prolonged, and then kept', 1, $server->cmd('PEXPIRE', 'answered', 60000));
usleep((int) (max(0.0, $sent + 1.4 * $unit - now()) * 1e6));
same('the other one has ended', 0, $server->cmd('EXISTS', 'asleep'));
$server->cmd('SET', 'asleep', 'somebody', 'PX', 60000);
foreach ($children as $what => $child) {
    $child->signal(SIGCONT);
    matches("$what: as soon as it runs", '~^ready\nlost\n~', $child->expect('~\n\w+\n~'));
}
$fake->rules([]);
eventually('what survived is released', fn () => $server->cmd('EXISTS', 'answered') === 0, 2.0);
foreach ($children as $what => $child) {
    $child->tell('end');
    matches("$what: in the end", '~\nlost, 1$~D', $child->output());
}
same('the next owner', 'somebody', $server->cmd('GET', 'asleep'));

done();
?>
--EXPECT--
ok
