--TEST--
A lost answer that is still in doubt at the deadline is reported as an unknown outcome.
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

/* The SET is run and its answer lost; from then on the server only refuses. */
$server = start_server();
foreach (['LOADING Redis is loading', 'READONLY a replica', 'NOPERM no scripts for you']
        as $error) {
    foreach ([0.0, room(0.3)] as $wait) {
        $fake = fake_server([], $server);
        $lock = new RedisLock($fake->dsn(), timeout: slack(0.5), persistent: false);
        $lock->isLocked('k');
        $fake->rules([rule('SET', ['forward', 'close']), rule('EVALSHA', [send("-$error\r\n")]),
            rule('EVAL', [send("-$error\r\n")])]);
        $thrown = throws("$error, wait $wait", 'RedisLockServerException', '~outcome unknown~',
            fn () => $lock->acquire('k', 60, $wait));
        same('the key is there', ['0:k'], $server->keys());
        $server->cmd('FLUSHALL');
        $fake->stop();
    }
}

done();
?>
--EXPECT--
ok
