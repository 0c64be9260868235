--TEST--
A helper key of another type, which another program made, makes waits poll; the key stays as it is, and stats() counts it.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
foreach (['rl-wait' => ['string', 'hash'], 'rl-wake' => ['string', 'hash']] as $suffix => $types) {
    foreach ($types as $type) {
        $lock = new RedisLock($server->dsn(), persistent: false);
        $foreign = "k::$suffix";
        $type === 'hash' ? $server->cmd('HSET', $foreign, 'field', 'value')
            : $server->cmd('SET', $foreign, 'value');
        $token = $lock->acquire('k');
        $waiters =
            [waiter($server->dsn(), 'k', then: fn ($lock, $token) => $lock->release('k', $token)),
                waiter($server->dsn(), 'k',
                    then: fn ($lock, $token) => $lock->release('k', $token))];
        usleep((int) (1e6 * room(0.7)));
        $before = RedisLock::stats()['wake_failures'];
        $released = now();
        same('release()', true, $lock->release('k', $token));
        check("$foreign is a $type: the release tells",
            RedisLock::stats()['wake_failures'] - $before >= ($suffix === 'rl-wait' ? 1 : 0));
        foreach ($waiters as $waiter) {
            $result = $waiter->result();
            matches('token', TOKEN, (string) ($result['token'] ?? $result['error']));
            same('released', true, $result['then']);
            check("$foreign is a $type: soon", $result['at'] - $released <= 2 * 0.26 + slack(0.3),
                $result['at'] - $released);
            same("$foreign is a $type: the wait tells", 1, $result['stats']['wake_failures']);
        }
        same('it is still there', $type, $server->cmd('TYPE', $foreign));
        same('and has no end', -1, $server->cmd('PTTL', $foreign));
        $server->cmd('DEL', $foreign);
        eventually('no key is left', fn () => $server->locks() === [], 0.5);
        $server->cmd('FLUSHALL');
    }
}

/* While a waiter is in the queue already. */
foreach (['rl-wait', 'rl-wake'] as $suffix) {
    $lock = new RedisLock($server->dsn());
    $token = hold($server, 'k');
    $waiter = waiter($server->dsn(), 'k');
    queued($server, 1);
    $server->cmd('SET', "k::$suffix", 'value');
    $released = now();
    same('release()', true, $lock->release('k', $token));
    $result = $waiter->result();
    matches('token', TOKEN, (string) ($result['token'] ?? $result['error']));
    check("$suffix: within 1.1 s", $result['at'] - $released <= slack(1.1) + 0.26,
        $result['at'] - $released);
    $server->cmd('FLUSHALL');
}

done();
?>
--EXPECT--
ok
