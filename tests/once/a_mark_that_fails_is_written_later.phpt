--TEST--
If the server is away when the section ends, the mark is written when it is back.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

require __DIR__ . '/../inc/fake_server.inc';

$server = start_server();
$lock = new RedisLock($server->dsn('?timeout=0.2'));
same('the call', true, $lock->once('mail', fn () => $server->pause(), for: 60));
$server->resume();
eventually('the mark', fn () => $server->cmd('GET', 'mail') === 'rl1.done', slack(5.0));
same('the next call', false, $lock->once('mail', fn () => 1, for: 60));
$server->cmd('DEL', 'mail');

/* The server stands still from before the second renewal, which is under way when the section ends.
 * The watchdog writes a release behind it, which the server reads first. */
undisturbed(0.2, function () use ($server): void {
    $server->cmd('DEL', 'mail');
    $lock = new RedisLock($server->dsn('?timeout=0.5'));
    $renewed = fn (): int => RedisLock::stats()['renewed'];
    $before = $renewed();
    $work = function () use ($server, $renewed, $before): void {
        await('the first renewal', 20.0, fn () => $renewed() > $before);
        usleep(500000);
        $server->pause();
        usleep(700000);
    };
    same('a renewal under way', true, $lock->once('mail', $work, ttl: 3, for: 60));
    $server->resume();
    eventually('a renewal under way: the mark',
        fn () => $server->cmd('GET', 'mail') === 'rl1.done', slack(5.0));
});
$server->cmd('DEL', 'mail');

/* The answer is lost: the second copy finds the mark of the first. */
$lossy = fake_server([rule('EVALSHA', ['forward', 'close'], times: 1, skip: 1)], $server);
$other = new RedisLock($lossy->dsn());
same('a lost answer', true, $other->once('mail', fn () => 1, for: 60));
same('a lost answer: the mark', 'rl1.done', $server->cmd('GET', 'mail'));

/* The server has no memory for the mark. */
$server->cmd('DEL', 'mail');
throws('no memory', 'RedisLockServerException', '~OOM~',
    fn () => $lock->once('mail', fn () => $server->cmd('CONFIG', 'SET', 'maxmemory', 1), for: 60));
$server->cmd('CONFIG', 'SET', 'maxmemory', 0);
eventually('no memory: the mark', fn () => $server->cmd('GET', 'mail') === 'rl1.done', slack(5.0));

/* The server refuses for good. */
$server->cmd('DEL', 'mail');
throws('refused', 'RedisLockServerException', '~NOPERM~',
    fn () => $lock->once('mail', function () use ($server) {
        $server->cmd('ACL', 'SETUSER', 'default', '-eval', '-evalsha');
    }, for: 60));
$server->cmd('ACL', 'SETUSER', 'default', '+@all');

done();
?>
--EXPECT--
ok
