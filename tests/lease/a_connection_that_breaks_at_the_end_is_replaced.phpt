--TEST--
A connection that breaks while leases are released is replaced once, and the unanswered releases are sent again.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/fake_server.inc';

$server = start_server();
$fake = fake_server([], $server, true);
$servers = $fake->dsn('?timeout=' . slack(1.0));
$lock = new RedisLock($servers, persistent: false);
foreach (['unheard' => ['close'], 'heard, but not answered' => ['forward', 'close']]
        as $what => $steps) {
    foreach (['unset', 'section', 'end'] as $how) {
        $fake->rules([rule('EVAL', $steps, times: 1)]);
        if ($how === 'unset') {
            $lease = $lock->lease('k', 60);
            unset($lease);
        } elseif ($how === 'section') {
            same("$what: section", 5, $lock->synchronized('k', fn () => 5, 60));
        } else {
            $code =
                '$lock = new RedisLock($argv[1]); for ($i = 0; $i < 20; $i++) { $all[] = $lock->lease("k$i", 60); } echo count($all);';
            same("$what: output", '20', run_php($code, [$servers]));
        }
        same("$what, $how: keys", [], $server->keys());
    }
}

done();
?>
--EXPECT--
ok
