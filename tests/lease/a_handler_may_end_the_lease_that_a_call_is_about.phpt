--TEST--
A handler that runs inside a call on a lease may release or drop that lease.
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
$lock = new RedisLock($fake->dsn(), timeout: 2 * slack(5.0));
pcntl_async_signals(true);
foreach (['extend', 'verify', 'release'] as $method) {
    foreach (['release()', 'unset'] as $how) {
        $lease = $lock->lease('k', 60);
        $lease->extend(60);
        pcntl_signal(SIGUSR1, function () use (&$lease, $how): void {
            $how === 'unset' || $lease->release();
            $lease = null;
        });
        $fake->rules([rule($method === 'verify' ? 'GET' : 'EVALSHA',
            ['forward', wait_for(room(0.3)), 'reply'], times: 1)]);
        $sender = signal_later(SIGUSR1, 0.1);
        $result = $lease->$method(...($method === 'extend' ? [30] : []));
        $sender->finish();
        check("$method() and $how: a bool", is_bool($result), $result);
        same("$method() and $how: the handler ran", null, $lease);
        same("$method() and $how: keys", [], $server->keys());
        $fake->rules([]);
    }
}

done();
?>
--EXPECT--
ok
