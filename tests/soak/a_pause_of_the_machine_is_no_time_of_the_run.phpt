--TEST--
A long run names the pauses of the machine and the jumps of its clock, and does not count their time.
--FILE--
<?php
require __DIR__ . '/clock.inc';
require __DIR__ . '/../inc/check.inc';

$now = 1000.0;
$day = 5000.0;
$clock = new RunClock(function () use (&$now): float {
    return $now;
}, function () use (&$day): float {
    return $day;
});
$pass = function (float $seconds, float $moved = 0.0) use (&$now, &$day, $clock): float {
    $now += $seconds;
    $day += $seconds + $moved;
    return round($clock->seconds(), 3);
};

for ($i = 0; $i < 100; $i++) {
    $pass(1.0, 0.01);
}
same('no pause, and a clock that is a little fast', [100.0, []], [$pass(0.0), $clock->pauses]);
same('a pause of three minutes', 100.0, $pass(180.0));
same('time goes on', 104.0, $pass(4.0));
same('a clock of the day that jumps', 104.0, $pass(0.1, 120.0));
same('and back', 104.0, $pass(0.1, -60.0));
same('their names', ['180 s', '0 s, and the clock of the day moved by 120 s',
    '0 s, and the clock of the day moved by -60 s'], array_map(strval(...), $clock->pauses));

same('before the pause', null, $clock->pauseIn(1050.0, 1099.0));
same('a call during the pause', '180 s', (string) $clock->pauseIn(1099.0, 1101.0));
same('a part that was longer than the pause', '180 s', (string) $clock->pauseIn(1000.0, 1400.0));
same('what comes of it later', '0 s, and the clock of the day moved by 120 s',
    (string) $clock->pauseIn(1342.0, 1342.0));
same('long after it', null, $clock->pauseIn(1400.0, 1400.0));
same('when it began', 100.0, $clock->at($clock->pauses[0]->from));

done();
?>
--EXPECT--
ok
