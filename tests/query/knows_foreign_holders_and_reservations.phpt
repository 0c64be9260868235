--TEST--
inspect() distinguishes tokens with and without a label, values that are no token of this class, and reservations.
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
$states = [
    'an older version, without a label' => ['rl1.' . str_repeat('a', 24), null, false],
    'a label' => ['rl1.' . str_repeat('a', 24) . '@cron', 'cron', false],
    'an own token' => ['mine', null, true],
    'almost a token' => ['rl1.' . str_repeat('a', 23), null, true],
    'an empty label' => ['rl1.' . str_repeat('a', 24) . '@', null, true],
    'a label with a space' => ['rl1.' . str_repeat('a', 24) . '@a b', null, true],
    'a label that is too long' => ['rl1.' . str_repeat('a', 24) . '@' . str_repeat('x', 65), null,
        true],
    'an empty value' => ['', null, true],
    'a very long value' => [str_repeat('x', 100000), null, true],
];
foreach ($states as $what => [$value, $label, $isForeign]) {
    $server->cmd('SET', 'k', $value, 'PX', 60000);
    $state = $lock->inspect('k');
    same("$what: label", $label, $state->label);
    same("$what: isForeign", $isForeign, $state->isForeign);
    same("$what: isReserved", false, $state->isReserved);
    between("$what: remaining", 50, 60, $state->remaining);
}
$server->cmd('SET', 'k', 'x');
same('without a TTL', INF, $lock->inspect('k')->remaining);
$server->cmd('DEL', 'k');
$server->cmd('ZADD', 'k', '1', 'symfony');
$server->cmd('PEXPIRE', 'k', '60000');
$state = $lock->inspect('k');
same('a lock of symfony/lock: isForeign', true, $state->isForeign);
between('a lock of symfony/lock: remaining', 50, 60, $state->remaining);
$server->cmd('DEL', 'k');
$server->cmd('LPUSH', 'k', 'x');
throws('a list', 'RedisLockServerException', '~WRONGTYPE~', fn () => $lock->inspect('k'));

/* While the server is stopped its clock goes on, so a short reservation may end first. */
eventually('a reservation', function () use ($server, $lock): bool {
    $server->cmd('SET', 'r', 'rl1.reserved', 'PX', 240);
    $state = $lock->inspect('r');
    return $state?->isReserved === true && $state->label === null && !$state->isForeign;
});
$server->cmd('SET', 'r', 'rl1.reserved', 'PX', 60000);
same('too long for a reservation', true, $lock->inspect('r')->isForeign);

done();
?>
--EXPECT--
ok
