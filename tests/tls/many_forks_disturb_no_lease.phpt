--TEST--
Many forks under a lease: the children send nothing on the parent's connections, may use connections of their own, and the lease stays held.
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
require __DIR__ . '/../inc/renew.inc';

$forks = rounds(120, 1000);

$ca = new_authority();
$server = start_tls_server($ca);
$lock = new RedisLock($server->tlsDsn(), tls: ['cafile' => $ca->file]);
$lease = $lock->lease('k', room(0.9));
renewals_go_on('before');
$ids = fn (): array => array_column($server->client()->clients(), 'id');
$parents = $ids();
same('connections of the parent', 2, count($parents));
$before = RedisLock::stats();
$errors = fn (): array => array_filter($server->client()->info('all'),
    fn ($name) => str_starts_with($name, 'errorstat_') || $name === 'total_error_replies',
    ARRAY_FILTER_USE_KEY);
$errors_before = $errors();

/* The acts of a child, and the status with which it ends. */
$bodies = [
    fn () => null,
    fn () => $lock->close(),
    function () use (&$lock, &$lease): void {
        $lock = $lease = null;
        gc_collect_cycles();
    },
    fn () => send_signal(getmypid(), SIGKILL),
];
$uses = function (int $i) use (&$lock, $lease): void {
    same('the child: not its lease', false, $lease->isHeld());
    same('the child: taken', null, $lock->acquire('k'));
    same('the child: its own lock', true,
        $lock->release("own $i", (string) $lock->acquire("own $i")));
    same('the child: its own lease', true, $lock->lease("lease $i", 5)?->release());
};
/* So many, or as many as a slow machine makes in half of the time. */
$until = now() + 0.5 * time_left();
$running = [];
for ($i = 0, $is_last = false; !$is_last; $i++) {
    $is_last = $i === $forks - 1 || now() > $until;
    $does = $i % 50 === 0 ? fn () => $uses($i) : $bodies[$i % count($bodies)];
    $pid = pcntl_fork();
    if ($pid === 0) {
        try {
            $does();
        } catch (Throwable $thrown) {
            check("child $i", false, $thrown);
        }
        exit(Checks::$failed > 0 ? 8 : 0);
    }
    OwnProcesses::add($pid);
    $running[$pid] = $i;
    while (count($running) >= ($is_last ? 1 : 10)) {
        $pid = pcntl_wait($status);
        OwnProcesses::remove($pid);
        $fine = pcntl_wifexited($status) ? pcntl_wexitstatus($status) === 0
            : pcntl_wtermsig($status) === SIGKILL && $running[$pid] % count($bodies) === 3;
        $fine || check("the status of child $running[$pid]", false, $status);
        unset($running[$pid]);
    }
    $i % 100 === 0 && same("isHeld() after $i", true, $lease->isHeld());
}
check('there were many', $i >= 100, $i);
same('the lease is held', true, $lease->verify());
same('nothing was lost', 0, lost());
renewals_go_on('after');
same('the same connections', $parents, $ids());
$after = RedisLock::stats();
foreach (['connects', 'reconnects', 'failed'] as $name) {
    same($name, $before[$name], $after[$name]);
}
/* A lock that is taken is not an error; the only one may be that a script was not known yet. */
$grown = array_diff_assoc($errors(), $errors_before);
unset($grown['total_error_replies'], $grown['errorstat_NOSCRIPT']);
same('errors of the server', [], $grown);
matches('its log', '~^((?!rror).)*$~s', (string) file_get_contents("$server->folder/out"));
same('release()', true, $lease->release());
same('keys', [], $server->locks());

done();
?>
--EXPECT--
ok
