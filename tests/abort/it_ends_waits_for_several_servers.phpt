--TEST--
$abort ends a wait for several servers, leaves nothing on any of them, and returns a lock that was won in the same moment.
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

$members = start_members(3);
$holder = RedisLock::token();
pcntl_async_signals(true);
$stop = false;
pcntl_signal(SIGUSR1, function () use (&$stop): void {
    $stop = true;
});
$ends = function () use (&$stop): bool {
    return $stop;
};
foreach ([[0, 1, 2], [0, 1]] as $theirs) {
    foreach ([null, 'mine'] as $own) {
        $members->flush();
        $members->occupy('k', $holder, ...$theirs);
        $lock = $members->lock();
        $stop = false;
        $sender = signal_later(SIGUSR1, room(0.3));
        $took = elapsed(fn () => $lock->acquire('k', 30, 50, $own, $ends), $token);
        $sender->finish();
        same('acquire()', null, $token);
        between('seconds', 0.2, slack(3.0), $took);
        $members->empty('its end', array_values(array_diff([0, 1, 2], $theirs)));
        foreach ($members->servers as $server) {
            queued($server, 0);
        }
    }
}

/* The callable releases the lock: the place wins on its member, and the others are asked. */
foreach ([null, 'mine'] as $own) {
    $members->flush();
    $held = $lock->acquire('k', 60);
    $members->hold('held', 'k', $held);
    $asked = 0;
    $lease = $lock->lease('k', 60, 60, token: $own,
        abort: function () use ($lock, $held, $members, &$asked): bool {
            if (++$asked < 2) {
                return false;
            }
            same('release()', true, $lock->release('k', $held));
            await('the place is granted the lock', 5.0, function () use ($members, $held): bool {
                $values = array_diff($members->values('k'), [$held, null, '', 'rl1.reserved']);
                return $values !== [];
            });
            return true;
        });
    if (check('lease()', $lease !== null)) {
        same('isHeld()', true, $lease->isHeld());
        same('verify()', true, $lease->verify());
        $own === null || same('token()', $own, $lease->token());
        same('release()', true, $lease->release());
    }
    $members->empty('all');
}

/* A majority that hangs, and a majority that is gone. */
$members->flush();
$members->occupy('k', $holder, 0, 1, 2);
$lock = $members->lock(timeout: 20.0);
$asked = 0;
$stop = false;
$sender = null;
$abort = function () use (&$asked, &$stop, &$sender, $members): bool {
    if (++$asked === 1) {
        $members->pause(1, 2);
        $sender = signal_later(SIGUSR1, 1.5);
    }
    return $stop;
};
$took = elapsed(fn () => $lock->acquire('k', 600, 50, abort: $abort), $token);
$sender->finish();
same('a majority that hangs', null, $token);
between('seconds', 1.0, slack(5.0), $took);
$members->resume(1, 2);
$members->kill(1, 2);
$lock = $members->lock();
same('a majority that is gone', null, $lock->acquire('k', wait: INF, abort: fn () => true));
same('the holder', $holder, $members->servers[0]->cmd('GET', 'k'));

done();
?>
--EXPECT--
ok
