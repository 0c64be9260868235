--TEST--
extend() of a renewed lease sets the TTL that renewal uses from then on, shorter or longer.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';
require __DIR__ . '/../inc/fake_server.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$unit = room(1.0);
$shorter = $lock->lease('shorter', 30 * $unit);
$longer = $lock->lease('longer', 0.6 * $unit);
same('extend(0.6)', true, $shorter->extend(0.6 * $unit));
same('extend(30)', true, $longer->extend(30 * $unit));

/* For more than two of the short TTL. */
$before = renewed();
$until = now() + 1.4 * $unit;
$samples = sample_pttl($server, ['shorter', 'longer'], fn () => now() < $until);
between('PTTL of the shorter one', 1, 600 * $unit, $samples['shorter']['least']);
between('at most', 300 * $unit, 600 * $unit, $samples['shorter']['most']);
is_whole('the shorter one', $server, $shorter);
between('PTTL of the longer one', 28000 * $unit, 30000 * $unit,
    $samples['longer']['least']);
/* The longer lease is due later: in ten seconds, if not more. */
between('renewals', 4, 10, renewed() - $before);

/* There and back again. */
same('extend(20)', true, $shorter->extend(20 * $unit));
same('extend(0.5)', true, $longer->extend(0.5 * $unit));
stays_held('both', $server, [$shorter, $longer], 0.8 * $unit);
between('PTTL of the one', 18000 * $unit, 20000 * $unit,
    $server->cmd('PTTL', 'shorter'));
between('PTTL of the other', 1, 500 * $unit, $server->cmd('PTTL', 'longer'));
same('lost', 0, lost());
same('release()', [true, true], [$shorter->release(), $longer->release()]);

/* A later renewal with the old TTL does not shorten it. */
$fake = fake_server([], $server, true);
$lease = (new RedisLock($fake->dsn(), timeout: $unit))->lease('k', 0.9 * $unit);
renewals_go_on('at first');
$fake->rules([['on' => 'EVALSHA', 'connection' => 2, 'times' => 1,
    'do' => [wait_for(0.1 * $unit), 'pass']]]);
$before = count($fake->commands('EVALSHA'));
$was = renewed();
eventually('a renewal is held back', fn () => count($fake->commands('EVALSHA')) > $before);
same('extend(20) meanwhile', true, $lease->extend(20 * $unit));
eventually('the renewal is carried out', fn () => renewed() > $was);
between('PTTL', 15000 * $unit, 20000 * $unit, $server->cmd('PTTL', 'k'));
between('remaining()', 0.1, 20 * $unit, $lease->remaining());
same('release()', true, $lease->release());

/* Both all the time. */
$lease = $lock->lease('k', 0.3 * $unit);
for ($until = now() + 0.5 * $unit, $n = 0; now() < $until; $n++) {
    if (!$lease->extend((0.3 + $n % 3 / 10) * $unit)) {
        check('extend() again and again', false, $n);
        break;
    }
}
stays_held('afterwards', $server, $lease, 0.5 * $unit);
same('lost', 0, lost());
unset($lease);
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
