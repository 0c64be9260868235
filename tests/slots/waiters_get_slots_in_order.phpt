--TEST--
Waiters get the slots in the order of their arrival; a release of any slot wakes the first.
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
$held = array_map(fn () => $lock->lease('export', slots: 3), range(1, 3));
$waiters = [];
for ($i = 1; $i <= 5; $i++) {
    $waiters[$i] = start_php('$lock = new RedisLock($argv[1]);
        $lease = $lock->lease("export", wait: 60, slots: 3);
        printf("got %d after %d\n", $lease->slot(), $lease->attempts());
        fgets(STDIN); unset($lease); echo "freed\n";', [$server->dsn()]);
    eventually("$i waits", fn () => $lock->inspect('export')->waiters === $i, 20.0);
    usleep(20_000);
}
/* Two become free at once. */
unset($held[2], $held[0]);
$waiters[1]->expect('~got [13] after~');
$waiters[2]->expect('~got [13] after~');
usleep(50_000);
same('a newcomer', null, $lock->lease('export', slots: 3));
$held[1]->release();
$waiters[3]->expect('~got 2 after~');
$waiters[2]->tell('go');
$waiters[4]->expect('~got [13] after~');
$waiters[1]->tell('go');
$waiters[5]->expect('~got [13] after~');
foreach ([3, 4, 5] as $i) {
    $waiters[$i]->tell('go');
}
foreach ($waiters as $i => $waiter) {
    matches("waiter $i", '~freed\n$~', $waiter->output());
}
eventually('keys', fn () => $server->keys() === [], 5.0);

/* An empty value of another client looks like a reservation, but has no end: it is taken. */
$server->cmd('SET', 'export', '');
$held = [$lock->lease('export', slots: 3), $lock->lease('export', slots: 3)];
$waiter = start_php('$lock = new RedisLock($argv[1]);
    echo $lock->lease("export", wait: 60, slots: 3)->slot(), "\n";', [$server->dsn()]);
eventually('one waits', fn () => $lock->inspect('export')->waiters === 1, 20.0);
$began = microtime(true);
unset($held[1]);
same('its slot', "3\n", $waiter->output());
check('it has not slept', microtime(true) - $began < slack(0.7), microtime(true) - $began);

done();
?>
--EXPECT--
ok
