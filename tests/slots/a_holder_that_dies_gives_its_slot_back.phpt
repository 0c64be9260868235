--TEST--
A slot whose holder was killed is free when its TTL is over, and those of other holders stay.
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
$first = $lock->lease('export', slots: 2);
$worker = start_php('$lock = new RedisLock($argv[1]);
    $lease = $lock->lease("export", 0.5, slots: 2);
    echo $lease->slot(), "\n"; sleep(60);', [$server->dsn()]);
$worker->expect('~^2~');
$worker->signal(SIGKILL);
$second = $lock->lease('export', wait: 30, slots: 2);
same('its slot', 2, $second?->slot());
matches('a dump shows it', '~\["slot"\]=>\s+int\(2\)~', (function () use ($second): string {
    ob_start();
    var_dump($second);
    return ob_get_clean();
})());
check('the first is held', $first->verify());
check('it waited for its TTL only', $second->waited() < slack(2.0), $second->waited());
unset($first, $second);

$ends = ['exit' => 'exit(3);', 'a fatal error' => 'undefined_function();',
    'SIGTERM' => 'exec("kill -TERM " . getmypid()); sleep(60);', 'the end' => ''];
foreach (ends_that_free($ends) as $what => $end) {
    run_php('$lock = new RedisLock($argv[1]);
        $a = $lock->lease("export", slots: 3); $b = $lock->lease("export", slots: 3);'
        . $end, [$server->dsn()]);
    same("$what: keys", [], $server->locks());
}

done();
?>
--EXPECT--
ok
