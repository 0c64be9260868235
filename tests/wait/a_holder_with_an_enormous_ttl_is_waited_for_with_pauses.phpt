--TEST--
A wait for a key with an enormous TTL makes the usual pauses.
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
$lock = new RedisLock($server->dsn());
foreach (['9000000000000000', '9223372036854', '31622400000'] as $ttl) {
    undisturbed(0.05, function () use ($server, $lock, $ttl): void {
        $server->cmd('SET', 'k', 'somebody', 'PX', $ttl);
        $looks = fn () => RedisLock::stats()['tries'] + RedisLock::stats()['probes'];
        $before = $looks();
        $took = elapsed(fn () => $lock->acquire('k', wait: 0.3), $result);
        same('acquire()', null, $result);
        check('seconds', $took >= 0.3 && $took < slack(2.5), $took);
        between("tries and probes while PTTL is $ttl", 3, 12, $looks() - $before);
        check('remaining()', $lock->remaining('k') > 1e7, $lock->remaining('k'));
    });
}

done();
?>
--EXPECT--
ok
