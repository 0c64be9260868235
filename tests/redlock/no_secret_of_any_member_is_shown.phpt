--TEST--
The passwords of all members stay out of messages, reasons, dumps and traces.
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

$members = start_members(3);
$dsns = array_map(fn (TestServer $server) => $server->dsn('', 'user:S3CRET'), $members->servers);
$lock = new RedisLock($dsns);
try {
    $ignored = $lock->acquire('k');
    check('it fails', false);
} catch (RedisLockException $thrown) {
    $seen = $thrown . show($thrown->getReasons()) . print_r($thrown, true);
    check('the exception', !str_contains($seen, 'S3CRET'), $seen);
    /* The outcome is clear when two have failed. */
    check('reasons', count($thrown->getReasons()) >= 2
        && array_diff(array_keys($thrown->getReasons()), $members->names()) === [],
        array_keys($thrown->getReasons()));
}
ob_start();
var_dump($lock);
print_r($lock);
var_export($lock);
check('dumps', !str_contains(ob_get_clean(), 'S3CRET'));

done();
?>
--EXPECT--
ok
