--TEST--
A lease whose renewals no replica confirms is held to the end of its proof, and then reported as lost; a replica that is back before keeps it.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require_once __DIR__ . '/../inc/replicas.inc';
require_once __DIR__ . '/../inc/renew.inc';

$all = start_replicated();
$lock = new RedisLock($all->dsn(rest: '&timeout=' . room(1.0) . '&replicas_timeout=' . room(0.1)));
$losses = [];
$ttl = room(0.9);
$lease = $lock->lease('k', $ttl, onLoss: function (RedisLockLease $lease) use (&$losses): void {
    $losses[] = $lease->key();
});
$long = $lock->lease('long', room(6.0));
renewals_go_on('at first');

$all->pause();
usleep((int) (1e6 * room(0.35))); /* a renewal was due */
same('it is held still', true, $lease->isHeld());
$all->resume();
renewals_go_on('with the replica back');
stays_held('the replica was back in time', $all->primary, $lease, room(0.5));

$all->pause();
$deadline = now() + $lease->remaining();
eventually('it is lost', fn () => !$lease->isHeld());
between('not before its time, and not long after', $deadline - $ttl / 3,
    $deadline + slack(0.1), now());
eventually('onLoss is called', function () use (&$losses): bool {
    return $losses === ['k'];
});
throws('assertHeld()', 'RedisLockLostException', '~"k" was lost~', $lease->assertHeld(...));
same('one with a longer TTL is held', true, $long->isHeld());
eventually('what was prolonged unconfirmed is released',
    fn () => $all->primary->cmd('EXISTS', 'k') === 0);
$all->resume();
renewals_go_on('of the other one', 1, 10.0);
same('it is held', true, $long->isHeld());
same('one is lost', 1, lost());
same('release()', true, $long->release());

done();
?>
--EXPECT--
ok
