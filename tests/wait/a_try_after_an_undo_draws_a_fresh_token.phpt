--TEST--
After an undo the next try of a wait has a fresh token: the old undo must not hit the new lock.
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
$lock = new RedisLock($fake->dsn(), timeout: room(0.2), connectTimeout: room(0.2));
$lock->isLocked('k');
$fake->rules([rule('SET', ['forward', wait_for(room(0.6)), 'reply'], times: 1)]);
$token = $lock->acquire('k', 60, 20);
matches('acquire()', TOKEN, (string) $token);
$sent = [];
foreach ($fake->commands('SET', 'EVALSHA', 'EVAL') as $command) {
    [$name, $args] = [$command['args'][0], $command['args']];
    $sent[] = [$name, $name === 'SET' ? $args[2] : $args[4], count($args)];
}
same('first a SET', 'SET', $sent[0][0]);
$first = $sent[0][1];
check('another token than the first', $token !== $first);
$undo = array_filter($sent, fn ($command) => $command[0] === 'EVAL' && $command[1] === $first);
check('the first is undone', $undo !== [], $sent);
check('it is never tried again', array_filter($sent,
    fn ($command) => $command[0] === 'EVALSHA' && $command[1] === $first) === [], $sent);
usleep((int) (1e6 * room(0.7)));
same('the lock is whole', $token, $server->cmd('GET', 'k'));
same('release()', true, $lock->release('k', $token));
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
