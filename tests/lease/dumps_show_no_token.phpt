--TEST--
No dump, export, cast or encoding of a lease shows its token; phpinfo() and stats() do not, either.
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

$server = start_server();
$lock = new RedisLock($server->dsn());
$lease = $lock->lease('k', 20);
$seen = everything_shown($lease);
check('something was shown', strlen($seen) > 100);
check('no token', !str_contains($seen, $lease->token())
    && !str_contains($seen, substr($lease->token(), 4)), $seen);
$resumed = $lock->resume('own', $lock->acquire('own', 20, token: 'S3CRET-token'));
$seen = everything_shown([$resumed, $lock]);
ob_start();
phpinfo(INFO_MODULES);
$seen .= ob_get_clean() . json_encode(RedisLock::stats());
check('no token', !str_contains($seen, 'S3CRET'), $seen);

done();
?>
--EXPECT--
ok
