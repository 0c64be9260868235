--TEST--
With persistent: false an object has a connection of its own to each member, which ends with the object; close() closes idle ones.
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
$clients = fn () => array_map(fn (TestServer $server) => count($server->client()->clients()),
    $members->servers);
$patience = ['timeout' => slack(1.0), 'connectTimeout' => slack(0.5)];
$lock = $members->lock(...$patience, persistent: false);
same('before the first call', [0, 0, 0], $clients());
$token = $lock->acquire('k');
$members->hold('acquire()', 'k', $token);
same('after it', [1, 1, 1], $clients());
$other = $members->lock(...$patience, persistent: false);
$second = $other->acquire('k2');
$members->hold('another object', 'k2', $second);
same('another object', [2, 2, 2], $clients());
unset($other);
eventually('another object has gone', fn () => $clients() === [1, 1, 1]);
same('release()', true, $lock->release('k', $token));
same('of the other', true, $lock->release('k2', $second));
$lock->close();
eventually('close()', fn () => $clients() === [0, 0, 0]);
$members->empty('at the end');

$lock = $members->lock(...$patience);
$token = $lock->acquire('k');
$members->hold('persistent', 'k', $token);
unset($lock);
$lock = $members->lock(...$patience);
same('the next object', true, $lock->release('k', $token));
$members->empty('the next object');
same('has the same connections', [1, 1, 1], $clients());
$lock->close();
eventually('close()', fn () => $clients() === [0, 0, 0]);
$token = $lock->acquire('k');
$members->hold('after close()', 'k', $token);
same('after close()', true, $lock->release('k', $token));

done();
?>
--EXPECT--
ok
