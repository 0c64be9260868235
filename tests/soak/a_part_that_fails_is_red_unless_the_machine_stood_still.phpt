--TEST--
A part of the long run that fails is red; if the machine stood still, it is red only for two owners of a lock.
--FILE--
<?php
require __DIR__ . '/parts.inc';
require __DIR__ . '/../inc/check.inc';

/** @return array{bool, array<string, int>} whether it was good, and what it counted */
function verdict_on(int $code, string $output, bool $stoodStill = false,
    Part $part = new Part('part', [], 1.0, 1)): array
{
    $isGood = $part->judge($code, $output, $stoodStill ? new Pause(1.0, 61.0, 0.0) : null);
    return [$isGood, array_filter(['runs' => $part->runs, 'red' => $part->failedRuns,
        'disturbed' => $part->disturbed, 'passed' => $part->passed, 'failed' => $part->failed])];
}

$good = "ok a\nok b\n2 passed, 0 failed\n";
$late = "ok no two owners at once\nnot ok every wait ends\n1 passed, 1 failed\n";
$two = "not ok kills: no two owners at once: k\nok every wait ends\n1 passed, 1 failed\n";
$red = ['runs' => 1, 'red' => 1];

same('a good run', [true, ['runs' => 1, 'passed' => 2]], verdict_on(0, $good));
same('a check that fails', [false, $red + ['passed' => 1, 'failed' => 1]], verdict_on(1, $late));
same('another exit code', [false, $red + ['passed' => 2]], verdict_on(1, $good));
same('a run that is cut off', [false, $red], verdict_on(124, "ok a\n"));
same('no check', [false, $red], verdict_on(0, "0 passed, 0 failed\n"));
same('a good run in a pause', [true, ['runs' => 1, 'passed' => 2]], verdict_on(0, $good, true));
same('a wait in a pause', [false, ['runs' => 1, 'disturbed' => 1]], verdict_on(1, $late, true));
same('cut off in a pause', [false, ['runs' => 1, 'disturbed' => 1]],
    verdict_on(124, "ok a\n", true));
same('two owners in a pause', [false, $red + ['passed' => 1, 'failed' => 1]],
    verdict_on(1, $two, true));

$part = new Part('part', [], 1.0, 1);
same('no namespaces here', [true, []],
    verdict_on(77, "seed 1\nskipped: no unshare here\n", false, $part));
same('its reason', 'no unshare here', $part->skipped);

$seeds = fn (int $failed): string => "5 seeds from 100, 12345 events in 1.0 s\n"
    . "$failed failed, 0 others\n";
$simulator = new Simulator('sim', 100);
same('the simulator', [true, ['runs' => 1, 'passed' => 5]],
    verdict_on(0, $seeds(0), false, $simulator));
same('its events', 12345, $simulator->events());
same('a world that fails in a pause', [false, ['runs' => 2, 'red' => 1, 'passed' => 9,
    'failed' => 1]], verdict_on(1, $seeds(1), true, $simulator));

done();
?>
--EXPECT--
ok
