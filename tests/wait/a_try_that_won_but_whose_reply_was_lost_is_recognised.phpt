--TEST--
A try that took the lock but whose reply was lost is recognised by the next one.
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
$fake = fake_server([], $server);
$lock = new RedisLock($fake->dsn(), retryDelay: 0.05);
$server->cmd('SET', 'k', 'somebody', 'PX', 60000);
$ignored = $lock->acquire('k', wait: 0.06);

$fake->rules([rule('SET', [send("$-1\r\n")], times: 1),
    rule('EVALSHA', ['forward', 'close'], times: 1)]);
$server->cmd('DEL', 'k');
$token = $lock->acquire('k', 20, 20);
matches('token', TOKEN, (string) $token);
same('value', $token, $server->cmd('GET', 'k'));
same('release()', true, $lock->release('k', (string) $token));
$lock->close(); // a connection that has met NOSCRIPT sends each script as text the first time
eventually('no lock is left', fn () => $server->locks() === [], 0.5);

/* So it is where the caller has brought a token: the try has another. */
$fake->rules([rule('SET', [send("$-1\r\n")], times: 1),
    rule('EVALSHA', ['forward', 'close'], times: 1)]);
same('an own token', 'mine', $lock->acquire('k', 20, 20, 'mine'));
same('its value', 'mine', $server->cmd('GET', 'k'));

done();
?>
--EXPECT--
ok
