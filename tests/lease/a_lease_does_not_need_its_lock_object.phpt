--TEST--
A lease continues when the RedisLock object that made it is gone, even if that object had connections of its own.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_on_cluster('the test counts the connections to one server');
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
foreach ([true, false] as $persistent) {
    $lease = (new RedisLock($server->dsn(), prefix: 'p:', persistent: $persistent))->lease('k', 60);
    is_whole('it', $server, $lease, 'p:');
    same('extend()', true, $lease->extend(30));
    same('verify()', true, $lease->verify());
    same('release()', true, $lease->release());
    $lease = (new RedisLock($server->dsn(), persistent: $persistent))->lease('k', 60);
    unset($lease);
    same('keys', [], $server->keys());
    same('section', 1, (new RedisLock($server->dsn(), persistent: $persistent))->synchronized('k',
        fn () => 1));
}
eventually('one connection is kept, the others are closed',
    fn () => count($server->client()->clients()) === 1, 2.0);
freed_by_the_end($server, 'at the end of the script',
    '$lease = (new RedisLock($argv[1], persistent: false))->lease("k"); held();', '~^held$~m');
freed_by_the_end($server, 'gone while the script runs',
    '$own = new RedisLock($argv[1], persistent: false); $lease = $own->lease("k"); $own = null; held();',
    '~^held$~m');

done();
?>
--EXPECT--
ok
