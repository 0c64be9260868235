--TEST--
A child renews no lease of its parent, and the parent's leases are renewed while the child lives and after its end.
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
$ttl = room(0.6);
$leases = [$lock->lease('a', $ttl), $lock->lease('b', $ttl, onLoss: stop(...))];
renewals_go_on('before');
$ends = [
    'a child that does nothing' => function () use ($ttl): void {
        usleep((int) (8e6 / 6 * $ttl));
    },
    'a child that computes' => fn () => compute(8 / 6 * $ttl),
    'a child that frees what it has' => function () use (&$leases, $ttl): void {
        usleep((int) (2e6 / 6 * $ttl));
        $leases = [];
        usleep((int) (1e6 * $ttl));
    },
];
foreach ($ends as $what => $end) {
    $children[$what] = in_fork(function () use ($what, $end, $leases): void {
        $before = renewed();
        same("$what: threads", 1, threads());
        same("$what: held", [false, false], [$leases[0]->isHeld(), $leases[1]->isHeld()]);
        $end();
        same("$what: renewed, lost", [0, 0], [renewed() - $before, lost()]);
        same("$what: threads", 1, threads());
    });
}
stays_held('the parent, meanwhile', $server, $leases, 10 / 6 * $ttl);
foreach ($children as $child) {
    reap($child);
}
stays_held('the parent, afterwards', $server, $leases, 8 / 6 * $ttl);
same('lost', 0, lost());

/* A parent that is killed: its lock ends although its child lives. */
$parent = start_php('
    $lease = (new RedisLock($argv[1]))->lease("k", (float) $argv[2]);
    $pid = pcntl_fork();
    if ($pid === 0) {
        usleep(20000000);
        exit;
    }
    echo "child $pid\n";
    sleep(20);', [$server->dsn(), $ttl]);
preg_match('~child (\d+)~', $parent->expect('~child \d+\n~'), $m);
OwnProcesses::add((int) $m[1]);
usleep((int) (7e6 / 6 * $ttl));
same('it is renewed', 1, $server->cmd('EXISTS', 'k'));
$parent->signal(SIGKILL);
eventually('it ends by its TTL', fn () => $server->cmd('EXISTS', 'k') === 0, 0.8);
check('its child lives', file_exists("/proc/$m[1]"));
send_signal((int) $m[1], SIGKILL);
OwnProcesses::remove((int) $m[1]);
same('release()', [true, true], [$leases[0]->release(), $leases[1]->release()]);

done();
?>
--EXPECT--
ok
