--TEST--
With replicas=n the mark is on the replicas when once() returns; if they do not confirm it, once() throws.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php

require __DIR__ . '/../inc/replicas.inc';
require __DIR__ . '/../inc/fake_server.inc';

$all = start_replicated(2);
$lock = new RedisLock($all->dsn(rest: '&timeout=5&replicas_timeout=1.4'));
$there = 0;
for ($i = 0; $i < 200; $i++) {
    $there += (int) $lock->once("mail:$i", fn () => 1, for: 60);
    foreach ($all->replicas as $replica) {
        $there += (int) ($replica->cmd('GET', "mail:$i") === 'rl1.done');
    }
}
same('each is on both replicas', 600, $there);

/* Work that fails waits for no replica. (Before the replicas stop: the server counts a WAIT that
 * was given up when it ends.) */
$before = $all->waits();
throws('an exception', 'DomainException', '~~',
    fn () => $lock->once('failed', fn () => throw new DomainException, for: 60));
same('its waits', 1, $all->waits() - $before);

/* The replicas stop while the section runs: the mark is at the primary only. */
$short = new RedisLock($all->dsn(rest: '&replicas_timeout=0.3'));
throws('no replica confirms', 'RedisLockConnectionException',
    '~: (only 0 of|fewer than) 2 replicas confirmed within 0\.3 s~',
    fn () => $short->once('mail', fn () => $all->pause(), for: 60));
same('the primary', 'rl1.done', $all->primary->cmd('GET', 'mail'));
$all->resume();
same('the next call', false, $short->once('mail', fn () => 1, for: 60));

/* The answer is lost, and the second copy finds the mark, which the replicas do not have. */
$lossy = fake_server([rule('EVALSHA', ['forward', 'close'], times: 1, skip: 1)], $all->primary);
$other = new RedisLock($lossy->dsn('?replicas=2&replicas_timeout=0.3'));
throws('a lost answer', 'RedisLockConnectionException', '~ 2 replicas confirmed within 0\.3 s~',
    fn () => $other->once('lost', fn () => $all->pause(), for: 60));
same('a lost answer: the primary', 'rl1.done', $all->primary->cmd('GET', 'lost'));
$all->resume();

done();
?>
--EXPECT--
ok
