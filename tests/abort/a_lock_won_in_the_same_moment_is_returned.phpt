--TEST--
A lock that is won while $abort runs is returned, although $abort returns true; a grant that comes later is undone.
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
$lock = new RedisLock($server->dsn());

/* The callable frees the lock, and the server grants it to our place in the queue at once. */
foreach ([null, 'mine'] as $own) {
    foreach (['acquire', 'lease', 'synchronized'] as $method) {
        if ($method === 'synchronized' && $own !== null) {
            continue; // it takes no token
        }
        $what = "$method(), token " . ($own ?? 'drawn');
        $held = hold($server, 'k');
        $asked = 0;
        $abort = function () use ($lock, $server, $held, &$asked): bool {
            if (++$asked < 2) {
                return false;
            }
            queued($server, 1);
            same('release()', true, $lock->release('k', $held));
            check('it is granted', !in_array($lock->owner('k'), [$held, null], true));
            return true;
        };
        $options = ['ttl' => 60, 'wait' => 60, 'abort' => $abort];
        if ($method === 'synchronized') {
            same($what, 42, $lock->synchronized('k', fn () => 42, ...$options));
            continue;
        }
        $result = $lock->$method('k', ...$options, token: $own);
        if (check($what, $result !== null)) {
            $token = is_string($result) ? $result : $result->token();
            same("$what: the key", $token, $server->cmd('GET', 'k'));
            $own === null || same("$what: its token", $own, $token);
            same("$what: asked", 2, $asked);
            is_string($result) ? $lock->release('k', $token) : $result->release();
        }
        unset($result);
    }
}
usleep(30_000);
same('keys', [], $server->locks());

/* Freed while the wait ends: whether or not the place is granted the lock, it is returned or
 * free. */
$other = new RedisLock($server->dsn());
for ($i = 0; $i < 8; $i++) {
    $held = hold($server, 'k');
    $releaser = null;
    $asked = 0;
    $token = $lock->acquire('k', 60, 60,
        abort: function () use (&$releaser, &$asked, $server, $held, $i): bool {
            if (++$asked < 2) {
                return false;
            }
            $releaser = in_fork(function () use ($server, $held, $i): void {
                usleep($i * 250);
                (new RedisLock($server->dsn()))->release('k', $held);
            });
            usleep(2000);
            return true;
        });
    reap($releaser);
    if ($token !== null) {
        same('won', $token, $server->cmd('GET', 'k'));
        same('release()', true, $lock->release('k', $token));
    }
    eventually('nothing is left', fn () => $server->locks() === []);
}

done();
?>
--EXPECT--
ok
