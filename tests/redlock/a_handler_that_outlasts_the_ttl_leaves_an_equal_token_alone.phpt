--TEST--
If a signal handler runs until the TTL is over, a lock that another holder has taken since with an equal token stays.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_under_valgrind();
?>
--FILE--
<?php
require_once __DIR__ . '/../inc/members.inc';

/* PHP does not free the result of a call when a handler throws right after it, and a debug build
 * would report that. */
PHP_DEBUG && @ini_set('report_memleaks', '0');

/** Signals interrupt a sleep. */
function stay(float $until): void
{
    while (now() < $until) {
        usleep(5000);
    }
}

/** A shell runs that. */
function run_shell(string $script): mixed
{
    $null = ['file', '/dev/null', 'r+'];
    $shell = proc_open(['/bin/sh', '-c', $script], [$null, $null, $null], $pipes);
    OwnProcesses::add(proc_get_status($shell)['pid']);
    return $shell;
}

/** By then another holder has the lock, on all servers. */
function take_as_another(Members $members): void
{
    foreach ($members->servers as $server) {
        $server->cmd('SET', 'k', 'T', 'NX', 'PX', 30000);
    }
}

pcntl_async_signals(true);
$isArmed = $doesThrow = false;
$members = null;
$endsAt = 0.0;
$unit = room(0.1);
pcntl_signal(SIGUSR1, function () use (&$isArmed, &$doesThrow, &$members, &$endsAt,
        $unit): void {
    if (!$isArmed) {
        return;
    }
    $isArmed = false;
    $members->resume(...array_keys($members->servers));
    stay(max($endsAt, now()) + 3 * $unit);
    take_as_another($members);
    if ($doesThrow) {
        throw new DomainException('stop');
    }
});

/** True when the handler has run, and another holder has the lock. */
$call = function (RedisLock $lock) use (&$isArmed, $unit): bool {
    try {
        $ignored = $lock->acquire('k', 4 * $unit, 0.0, 'T');
    } catch (DomainException | RedisLockException) {
    }
    $hasRun = !$isArmed;
    $isArmed = false;
    return $hasRun;
};

foreach ([1, 3] as $n) {
    $members = start_members($n);
    $lock = $members->lock();

    /* The servers grant it while the handler runs: the call is given up, or goes on. */
    foreach ([true, false] as $doesThrow) {
        $what = "N = $n, " . ($doesThrow ? 'throws' : 'returns');
        /* The call must still wait for the servers when the signal comes. */
        undisturbed(0.05, function () use ($what, $n, $lock, $members, $call, $unit,
                &$isArmed, &$endsAt): void {
            $members->flush();
            $lock->release('warm', $lock->acquire('warm'));
            $members->empty($what);
            $members->pause(...array_keys($members->servers));
            $isArmed = true;
            $endsAt = now() + 5 * $unit;
            $sender = run_shell(sprintf('sleep 0.01; kill -%d %d', SIGUSR1, getmypid()));
            $hasRun = $call($lock);
            $members->resume(...array_keys($members->servers));
            check("$what: the handler runs", $hasRun);
            proc_close($sender);
            usleep(50_000);
            same("$what: it is there", array_fill(0, $n, 'T'), $members->values('k'));
            $members->flush();
        });
    }

    /* The signal comes when the grant has just come: not each time, but now and then. */
    $storm =
        run_shell(
            sprintf('while kill -%d %d; do n=0; while [ $n -lt 30 ]; do n=$((n+1)); done; done',
                SIGUSR1, getmypid()));
    $times = 0;
    $wanted = rounds(2, 6);
    for ($until = now() + 40 * $unit; $times < $wanted && now() < $until;) {
        $doesThrow = $times % 2 === 0;
        $isArmed = true;
        $endsAt = now() + 3 * $unit;
        if ($call($lock)) {
            $times++;
            usleep(20_000);
            same("N = $n, in a storm: it is there", array_fill(0, $n, 'T'), $members->values('k'));
        }
        $members->flush();
    }
    proc_terminate($storm, SIGKILL);
    proc_close($storm);
}

done();
?>
--EXPECT--
ok
