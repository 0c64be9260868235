--TEST--
A look that reaches the server only after its waiter was woken sets no mark.
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
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$fake = fake_server([], $server, unix: true);
hold($server, 'k', (int) (1000 * room(0.2)));
matches('a wait with a look, so that the server knows the scripts', TOKEN,
    (string) (new RedisLock($server->dsn()))->acquire('k', 30, slack(5.0)));
check('it looked', RedisLock::stats()['probes'] > 0);
$before = count($fake->commands('EVALSHA'));
$token = hold($server, 'k', (int) (1000 * room(0.3)));
$fake->rules([rule('EVALSHA', [wait_for(room(0.4)), 'pass'], skip: 1)]);
$waiter = waiter($fake->dsn(), 'k', then: function ($lock, $token): void {
    usleep((int) (1e6 * room(0.7)));
});
queued($server, 1);
$server->cmd('PEXPIRE', 'k', 60000);
eventually('it looks', fn () => count($fake->commands('EVALSHA')) >= $before + 2);
same('release()', true, (new RedisLock($server->dsn()))->release('k', $token));
$result = $waiter->result();
same('woken, while its second look was under way', [1, 2],
    [$result['stats']['wake_ups'], $result['stats']['probes']]);
same('value', $result['token'], $server->cmd('GET', 'k'));
same('nobody is marked', [], marked($server, 'k'));

done();
?>
--EXPECT--
ok
