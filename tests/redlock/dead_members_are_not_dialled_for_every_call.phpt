--TEST--
A member that cannot be reached is dialled again after pauses, not by every call.
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

$members = start_members(2);
$listener = stream_socket_server('unix://' . $members->servers[0]->folder . '/counts');
stream_set_blocking($listener, false);
/* The listener takes every connection and closes it at once. */
$lock = new RedisLock([...$members->dsns(), 'unix://' . $members->servers[0]->folder . '/counts'],
    timeout: room(1.0), connectTimeout: room(1.0));
$dials = 0;
$take = function () use ($listener, &$dials): void {
    while ($connection = @stream_socket_accept($listener, 0)) {
        $dials++;
        fclose($connection);
    }
};
for ($i = 0; $i < 100; $i++) {
    $token = $lock->acquire('k');
    matches('acquire()', TOKEN, (string) $token);
    same('release()', true, $lock->release('k', (string) $token));
    $take();
}
check('it was dialled', $dials > 0, $dials);
check('it was not dialled for every call', $dials < 50, $dials);

done();
?>
--EXPECT--
ok
