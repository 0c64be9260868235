--TEST--
On several servers each grant counts once its own replicas have confirmed it: a quorum of them is enough, and less is an exception without keys.
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

$members = [start_replicated(), start_replicated(), start_replicated()];
$wait = room(0.1);
$dsns = array_map(fn (Replicated $member) =>
    $member->dsn(rest: '&timeout=' . room(1.0) . '&replicas_timeout=' . $wait), $members);
$lock = new RedisLock($dsns);
for ($i = 0; $i < 50; $i++) {
    $token = $lock->acquire("k$i", 30);
    $there = array_filter($members,
        fn (Replicated $member) => $member->replicas[0]->cmd('GET', "k$i") === $token);
    check("round $i: on a quorum of replicas", count($there) >= 2, count($there));
    $lock->release("k$i", $token);
}

$members[0]->pause();
matches('without one replica', TOKEN, (string) $token = $lock->acquire('k', 30));
same('extend()', true, $lock->extend('k', $token, 60));
same('release()', true, $lock->release('k', $token));
eventually('no key is left',
    fn () => array_merge(...array_map(fn ($member) => $member->primary->locks(), $members)) === []);

$members[1]->pause();
$watch = new Stopwatch();
throws('without two', 'RedisLockConnectionException', '~replicas confirmed~',
    fn () => $lock->acquire('k', 30));
$watch->within('without two: in time', $wait + slack(0.05), $wait);
foreach ($members as $i => $member) {
    no_key_is_left("member $i", $member->primary);
}

/* A wait gets the lock with one of the replicas back. */
$members[1]->resume();
matches('with one back', TOKEN, (string) $token = $lock->acquire('k', 30, wait: slack(5.0)));
same('release()', true, $lock->release('k', $token));

done();
?>
--EXPECT--
ok
