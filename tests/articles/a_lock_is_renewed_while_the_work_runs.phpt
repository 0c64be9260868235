--TEST--
Document 000: a lock does not expire before its work is done, and never outlives it for long.
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
require __DIR__ . '/../../examples/from-the-articles/000-auto-renewal.php';

use app\common\library\RenewedLock;

same('keys after the example', [], $server->keys());

// As long as the work takes, and the server never has more than one expiry of it.
$lock = new RedisLock($server->dsn());
$unit = room(0.1);
$lease = RenewedLock::lock('k', 6 * $unit, 60);
for ($until = now() + 20 * $unit; now() < $until; usleep(20000)) {
    $left = $server->cmd('PTTL', 'k');
    if (!$lease->isHeld() || $lock->acquire('k') !== null || $left < 0 || $left > 6000 * $unit) {
        check('it is held for its work', false, [$lease->isHeld(), $left]);
        break;
    }
}
same('release()', true, $lease->release());
same('keys', [], $server->keys());

// A freed lock is not renewed: the next holder's lock ends by its own expiry.
same('another client', 'OK', $server->cmd('SET', 'k', $lease->token(), 'NX', 'PX',
    (int) (4000 * $unit)));
eventually('it is over', fn () => $server->keys() === [], 1.0);

// Not longer than it may: a script that hangs.
$took = elapsed(function () use ($server, $unit): void {
    $lease = RenewedLock::lock('k', 3 * $unit, 10 * $unit);
    eventually('it ends', fn () => !$lease->isHeld());
    throws('assertHeld()', 'RedisLockLostException', '~~', $lease->assertHeld(...));
    eventually('the key is gone', fn () => $server->keys() === [], 0.2);
    same('release()', false, $lease->release());
});
between('after that time', 7 * $unit, slack(1.5), $took);

// Not longer than one expiry after its process: a kill.
$child = start_php('
    $lease = (new RedisLock($argv[1]))->lease("k", ttl: (float) $argv[2]);
    echo "ready\n";
    sleep(60);', [$server->dsn(), 6 * $unit]);
$child->expect('~ready~');
usleep((int) (10e6 * $unit));
same('it is renewed', ['0:k'], $server->keys());
$child->signal(SIGKILL);
eventually('its lock ends', fn () => $server->keys() === [], 1.0);

// A lock that was deleted is reported.
$lease = RenewedLock::lock('k', 6 * $unit, 60);
$server->cmd('DEL', 'k');
eventually('the next renewal notices it', fn () => !$lease->isHeld(), 0.5);
same('release()', false, $lease->release());
same('keys', [], $server->keys());

// Not where it is not wanted.
$lease = $lock->lease('k', ttl: 2 * $unit, renew: false);
usleep((int) (2.5e6 * $unit));
same('without renewal', false, $lease->isHeld());
same('keys', [], $server->keys());

done();
?>
--EXPECT--
step 1
step 2
step 3
step 4
freed
ok
