--TEST--
fence() returns a number that grows from holder to holder and stays the same for a lease.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_without_fences();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

const DAY_MS = 24 * 3600 * 1000;

$server = start_server();
$lock = new RedisLock($server->dsn(), reentrant: true);
$lease = $lock->lease('k', 20);
[$seconds, $micros] = array_map('intval', $server->cmd('TIME'));
$first = $lease->fence();
check('it is at least the time in us', $first >= $seconds * 1000000 + $micros, $first);
same('the key has it', (string) $first, $server->cmd('GET', 'k::rl-fence'));
between('its TTL', DAY_MS - 60000, DAY_MS, $server->cmd('PTTL', 'k::rl-fence'));
without_traffic('again', $server, fn () => same('again', $first, $lease->fence()));
$inner = $lock->lease('k', 20);
without_traffic('re-entered', $server, fn () => same('re-entered', $first, $inner->fence()));
$inner->release();
$lease->extend(30);
same('after extend()', $first, $lease->fence());
$lease->release();

/* The next holder, and a holder that takes over. */
$server->cmd('PEXPIRE', 'k::rl-fence', 5000);
$lease = $lock->lease('k', 20);
$second = $lease->fence();
check('the next holder', $second > $first, [$second, $first]);
between('the TTL is new', DAY_MS - 60000, DAY_MS, $server->cmd('PTTL', 'k::rl-fence'));
$heir = $lock->resume('k', $lease->detach(), 20);
check('resume()', $heir->fence() > $second, [$heir->fence(), $second]);
check('of a section', $lock->synchronized('other', fn ($lease) => $lease->fence()) > 0);

/* One command, with a script that is loaded once; the same without renewal. */
$heir->release();
$lease = $lock->lease('k', 20, renew: false);
$monitor = $server->monitor();
$lease->fence();
same('sent', ['EVALSHA SHA 2 k k::rl-fence TOKEN 0'], $monitor->lines());

done();
?>
--EXPECT--
ok
