--TEST--
Document 002: RedLock with servers as [host, port, timeout], three tries, and the lock as an array.
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

/** @var list<TestServer> */
$nodes = array_map(fn () => start_server(tcp: true), range(1, 5));
putenv('REDIS_SERVERS='
    . implode(' ', array_map(fn ($node) => "127.0.0.1:$node->port", array_slice($nodes, 0, 3))));
require __DIR__ . '/../../examples/from-the-articles/002-redlock.php';

$servers = array_map(fn ($node) => ['127.0.0.1', $node->port, slack(0.2)], $nodes);
$three = array_slice($servers, 0, 3);

/** @return list<mixed> what the key holds on each of the servers */
function holders(string $key, int $count): array
{
    global $nodes;
    return array_map(fn ($node) => $node->cmd('GET', $key), array_slice($nodes, 0, $count));
}

function all_keys(): array
{
    global $nodes;
    return array_merge(...array_map(fn ($node) => $node->locks(), $nodes));
}

eventually('no keys after the example', fn () => all_keys() === []);
$defaults = array_map(fn ($parameter) => $parameter->isOptional()
    ? $parameter->getDefaultValue() : null,
    (new ReflectionMethod('RedLock', '__construct'))->getParameters());
same('the defaults', [null, 200, 3], $defaults);

// The lock is an array, and what is in it.
$redLock = new RedLock($three);
$lock = $redLock->lock('test', 10000);
same('its keys', ['validity', 'resource', 'token'], array_keys($lock));
same('the resource', 'test', $lock['resource']);
eventually('each server has the token', fn () => holders('test', 3)
    === array_fill(0, 3, $lock['token']));
// The TTL, less 1 % of it and 2 ms, less the time that it took.
between('the validity', 10000 - 102 - 1000 * slack(2.0), 10000 - 102, $lock['validity']);
between('the TTL', 10000 - 1000 * slack(2.0), 10000, $nodes[0]->cmd('PTTL', 'test'));

// A refusal is false, after three tries with two pauses of 100 to 200 ms.
$before = RedisLock::stats();
$took = elapsed(fn () => $redLock->lock('test', 10000), $refused);
$after = RedisLock::stats();
same('lock() of what is locked', false, $refused);
between('it took', 0.2, slack(0.9), $took);
same('tries', 3, $after['tries'] - $before['tries']);
same('pauses', 2, $after['backoffs'] - $before['backoffs']);
same('it is still the other one\'s', array_fill(0, 3, $lock['token']), holders('test', 3));
$watch = new Stopwatch();
same('with one try', false, (new RedLock($three, 200, 1))->lock('test', 10000));
$watch->within('there is no pause', slack(0.1));

// unlock() returns nothing, goes to all servers, and frees no lock of another holder.
same('unlock()', null, $redLock->unlock(['token' => 'another'] + $lock));
same('another token frees nothing', array_fill(0, 3, $lock['token']), holders('test', 3));
same('unlock()', null, $redLock->unlock($lock));
eventually('it is free everywhere', fn () => all_keys() === []);

// A true majority: 2 of 3, where the document's code wants all 3; 3 of 5, where it wants 4.
foreach ([[$three, 1], [$servers, 2]] as [$list, $taken]) {
    $count = count($list);
    for ($i = 0; $i < $taken; $i++) {
        $nodes[$i]->cmd('SET', 'test', 'another', 'PX', 60000);
    }
    $lock = (new RedLock($list))->lock('test', 10000);
    check("$taken of $count are taken: lock()", is_array($lock), $lock);
    eventually('the others have the token', fn () => holders('test', $count)
        === [...array_fill(0, $taken, 'another'),
            ...array_fill(0, $count - $taken, $lock['token'])]);
    (new RedLock($list))->unlock($lock);
    eventually('unlock()', fn () => holders('test', $count)
        === [...array_fill(0, $taken, 'another'), ...array_fill(0, $count - $taken, null)]);

    // One more taken node makes a refusal, and the grants of the others are given back.
    $nodes[$taken]->cmd('SET', 'test', 'another', 'PX', 60000);
    same('one more is taken', false, (new RedLock($list, 20))->lock('test', 10000));
    eventually('what it had is given back', fn () => holders('test', $count)
        === [...array_fill(0, $taken + 1, 'another'), ...array_fill(0, $count - $taken - 1, null)]);
    for ($i = 0; $i <= $taken; $i++) {
        $nodes[$i]->cmd('DEL', 'test');
    }
}

// One of the tries gets a lock that is freed meanwhile.
$nodes[0]->cmd('SET', 'test', 'another', 'PX', 60);
$nodes[1]->cmd('SET', 'test', 'another', 'PX', 60);
$lock = $redLock->lock('test', 10000);
if (check('lock() while another ends', is_array($lock), $lock)) {
    $redLock->unlock($lock);
}
eventually('unlock()', fn () => all_keys() === []);

// A server that hangs costs nothing, for two are enough.
$nodes[2]->pause();
$watch = new Stopwatch();
$lock = $redLock->lock('test', 10000);
$watch->within('it is not waited for', slack(0.15));
check('one hangs: lock()', is_array($lock), $lock);
$redLock->unlock($lock);
$nodes[2]->resume();
eventually('what it was sent meanwhile is undone, too', fn () => all_keys() === []);

// A failure is no refusal: without a majority that can be asked there is an exception, which names
// each.
$nodes[2]->kill();
$lock = $redLock->lock('test', 10000);
check('one is gone: lock()', is_array($lock), $lock);
$redLock->unlock($lock);
$nodes[1]->kill();
$thrown = throws('two are gone', 'RedisLockConnectionException', '~~',
    fn () => $redLock->lock('test', 10000));
$named = implode(' ', array_keys($thrown?->getReasons() ?? []));
check('it names both', str_contains($named, ":{$nodes[1]->port}")
    && str_contains($named, ":{$nodes[2]->port}"), $named);
throws('unlock()', 'RedisLockConnectionException', '~~', fn () => $redLock->unlock($lock));
same('what it had is given back', [], $nodes[0]->locks());

done();
?>
--EXPECT--
working, for nearly ten seconds at most
freed
ok
