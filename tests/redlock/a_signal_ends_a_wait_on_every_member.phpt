--TEST--
An exception of a signal handler ends a wait for several servers at once and leaves nothing behind.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require_once __DIR__ . '/../inc/members.inc';
require_once __DIR__ . '/../inc/waiter.inc';

pcntl_async_signals(true);
pcntl_signal(SIGUSR1, fn () => throw new LogicException('signal'));
$members = start_members(3);
$holder = RedisLock::token();
foreach ([[0, 1, 2], [0, 1]] as $theirs) {
    $members->flush();
    $members->occupy('k', $holder, ...$theirs);
    $lock = $members->lock();
    $sender = signal_later(SIGUSR1, room(0.3));
    throws('the wait', 'LogicException', '~signal~', fn () => $lock->acquire('k', 30, 20), 3.0);
    $sender->finish();
    $members->empty('its end', array_values(array_diff([0, 1, 2], $theirs)));
}
$members->flush();

/* In the midst of a call: two hang. */
$members->pause(1, 2);
$lock = $members->lock(timeout: 10.0);
$sender = signal_later(SIGUSR1, room(0.3));
throws('a call with a wait', 'LogicException', '~signal~',
    fn () => $lock->acquire('k', 600, 20), 3.0);
$sender->finish();
$members->resume(1, 2);
$members->empty('all');
matches('works on', TOKEN, (string) $token = $lock->acquire('k', 30, slack(3.0)));
same('release()', true, $lock->release('k', (string) $token));

done();
?>
--EXPECT--
ok
