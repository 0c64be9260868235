--TEST--
Document 003: a bank account, with prefix, identifier, and repair of a key without TTL.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
putenv('REDIS_URL=' . $server->dsn());
require __DIR__ . '/../../examples/from-the-articles/003-bank-account.php';

same('keys after the example', [], $server->keys());

$lock = new AccountLock();
$identifier = $lock->lock('account');
matches('lock() gives an identifier', TOKEN, $identifier);
same('the key has the prefix', ['0:TEST_LOCKaccount'], $server->keys());
same('it holds the identifier', $identifier, $server->cmd('GET', 'TEST_LOCKaccount'));
between('the timeout is 5 s by default', 5000 - 1000 * slack(0.1), 5000,
    $server->cmd('PTTL', 'TEST_LOCKaccount'));
same('unlock() by another', false, $lock->unlock('account', 'another'));
same('unlock()', true, $lock->unlock('account', $identifier));
same('unlock() again', false, $lock->unlock('account', $identifier));

// The timeout is the longest wait, too.
$server->cmd('SET', 'TEST_LOCKaccount', 'somebody', 'EX', 60);
$timeout = room(0.3);
$took = elapsed(fn () => $lock->lock('account', $timeout), $refused);
same('lock() of what somebody has', false, $refused);
between('it waited for the timeout', $timeout, slack(1.3), $took);
same('the other has it still', 'somebody', $server->cmd('GET', 'TEST_LOCKaccount'));

// A holder that died without a TTL: its key gets one, so that the next has it then.
$server->cmd('SET', 'TEST_LOCKaccount', 'crashed before EXPIRE');
same('no TTL', -1, $server->cmd('PTTL', 'TEST_LOCKaccount'));
$took = elapsed(function () use ($lock, $timeout): string {
    $lock->lock('account', $timeout); // repairs it, and may just miss its end
    return $lock->lock('account', 5);
}, $identifier);
matches('lock() after the repair', TOKEN, $identifier);
between('it was the other one\'s for the timeout', $timeout - 0.01, slack(1.5), $took);
same('unlock()', true, $lock->unlock('account', $identifier));

// A TTL that is there stays as it is.
$server->cmd('SET', 'TEST_LOCKaccount', 'somebody', 'EX', 60);
same('lock()', false, $lock->lock('account', 0.05));
check('the TTL is not touched', $server->cmd('PTTL', 'TEST_LOCKaccount') > 50000);
$server->cmd('DEL', 'TEST_LOCKaccount');

// A holder that outlives its timeout does not free the lock of the next.
$slow = $lock->lock('account');
$server->cmd('PEXPIRE', 'TEST_LOCKaccount', 50);
$next = $lock->lock('account', 5);
matches('the next has it', TOKEN, $next);
same('the slow one is told', false, $lock->unlock('account', $slow));
same('the next has it still', $next, $server->cmd('GET', 'TEST_LOCKaccount'));
same('the next one unlocks', true, $lock->unlock('account', $next));

// When a lock expires, one of the waiters gets it, not all.
$server->cmd('SET', 'TEST_LOCKaccount', 'died', 'PX', 300);
$pids = [];
for ($i = 0; $i < 5; $i++) {
    $pids[] = in_fork(function () use ($server): void {
        $lock = new RedisLock($server->dsn(), AccountLock::PREFIX);
        if ($lock->acquire('account', ttl: 60, wait: slack(1.0)) !== null) {
            $server->newClient()->cmd('INCR', 'winners');
        }
    });
}
array_map(reap(...), $pids);
same('winners', '1', $server->cmd('GET', 'winners'));

done();
?>
--EXPECT--
1000 - 500 - 300 = 200
ok
