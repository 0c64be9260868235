--TEST--
SIGTERM at any moment of the release of several keys leaves no key.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_without_sigterm();
?>
--FILE--
<?php
require __DIR__ . '/../inc/sigterm.inc';
require __DIR__ . '/../inc/fake_server.inc';

$server = start_server();
$proxy = latency_of(60, $server);
$timeout = slack(2.0);
$releases = ['release()' => '$lease->release();', 'the object' => '$lease = null;',
    'a section' => '$lock->synchronized(["d", "e"], fn () => 1, 60);'];
foreach ($releases as $what => $release) {
    foreach ([0.0, 0.02, 0.045, 0.08, 0.15] as $moment) {
        $worker = start_php('$lock = new RedisLock($argv[1]);
            $lease = $lock->lease(["a", "b", "c"], 60);
            echo "ready\n"; fgets(STDIN);' . $release . ' sleep(60);',
            [$proxy->dsn("?timeout=$timeout")]);
        $worker->expect('~ready~');
        $worker->tell('go');
        usleep((int) (1e6 * $moment));
        $worker->signal(SIGTERM);
        same("$what at $moment: status", -SIGTERM, $worker->status());
        $proxy->drain();
        eventually("$what at $moment: keys", fn () => $server->locks() === [], 2.0);
        $server->cmd('FLUSHALL');
    }
}

done();
?>
--EXPECT--
ok
