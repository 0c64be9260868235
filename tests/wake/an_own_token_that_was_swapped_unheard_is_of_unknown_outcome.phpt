--TEST--
If the answer to the swap to a caller's own token is lost, the outcome is unknown; a connection that breaks in the queue leaves no doubt.
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
$lock = new RedisLock($server->dsn());

/* The try after the BLPOP took the lock, and its reply was lost: it has a drawn token, and is
 * recognised. */
$fake = fake_server([], $server);
$token = hold($server, 'k');
$waiting = new RedisLock($fake->dsn(), timeout: slack(1.0));
learn_scripts($waiting, 'k');
queued($server, 0);
$fake->rules([rule('EVAL', ['forward', 'close'], times: 1)]);
$waiter = waiter($fake->dsn(), 'k', ['token' => 'mine']);
queued($server, 1);
same('release()', true, $lock->release('k', $token));
same('recognised', 'mine', $waiter->result()['token']);
same('value', 'mine', $server->cmd('GET', 'k'));

/* No answer to any script that is sent as text comes, and so none to the swap. */
$server->cmd('DEL', 'k');
$server->cmd('SCRIPT', 'FLUSH');
$token = hold($server, 'k');
$fake->rules([]);
learn_scripts($waiting, 'k');
queued($server, 0);
$fake->rules([rule('EVAL', ['forward', 'close'])]);
$waiter = waiter($fake->dsn(), 'k', ['token' => 'mine']);
eventually('it waits', fn () => marked($server, 'k') !== []);
queued($server, 1);
same('release()', true, $lock->release('k', $token));
$result = $waiter->result();
matches('exception', '~RedisLockConnectionException.*outcome unknown~', (string) $result['error']);
same('it is not undone', 'mine', $server->cmd('GET', 'k'));

/* The place has not won: another holder has the lock, and the wait goes on. */
$server->cmd('DEL', 'k');
$fake->rules([rule('BLPOP', ['close'], times: 1)]);
$token = hold($server, 'k');
$waiter = waiter($fake->dsn(), 'k', ['token' => 'mine']);
queued($server, 1);
same('release()', true, $lock->release('k', $token));
same('token', 'mine', $waiter->result()['token']);

/* A token of ours is recognised. */
$server->cmd('DEL', 'k');
$fake->rules([rule('EVAL', ['forward', 'close'], times: 1)]);
$token = hold($server, 'k');
$waiter = waiter($fake->dsn(), 'k');
queued($server, 1);
same('release()', true, $lock->release('k', $token));
$result = $waiter->result();
matches('token', TOKEN, (string) $result['token']);
same('value', $result['token'], $server->cmd('GET', 'k'));

done();
?>
--EXPECT--
ok
