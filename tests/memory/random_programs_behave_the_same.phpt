--TEST--
500 random programs see the same on memory://, whose clock is moved, as on a real server, whose time passes.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_by_topology('the programs run on one server');
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

const PROGRAMS = 500;
const STEPS = 12;

function start_programs(string $servers, int $first, int $count, float $step,
    bool $advances): PhpChild
{
    return start_php('require $argv[1]; run_programs($argv[2], (int) $argv[3], (int) $argv[4],
        (int) $argv[5], (float) $argv[6], $argv[7] === "1");',
        [__DIR__ . '/programs.inc', $servers, $first, $count, STEPS, $step, $advances ? 1 : 0]);
}

/**
 * The output of the programs on a new server, and on memory://. On a slow machine the calls of all
 * programs do not fit into half a step: then fewer programs run, in longer steps.
 */
function run_on_both(int $first, int &$count, float &$step): array
{
    for (;; $step = min(1.5 * $step, 3.0), $count = max(1, intdiv($count, 2))) {
        if (time_left() < 1.5 * STEPS * $step) {
            throw new RuntimeException("$count programs in steps of $step s are late");
        }
        $server = start_server();
        $children = [start_programs(json_encode($server->dsn()), $first, $count, $step, false),
            start_programs('"memory://programs"', $first, $count, $step, true)];
        $both = array_map(fn ($child) => $child->output(30 + 2 * STEPS * $step), $children);
        if (!in_array("late\n", $both, true)) {
            return array_map(fn ($log) => explode("\n", trim($log)), $both);
        }
    }
}

$first = (int) (getenv('REDISLOCK_PROGRAMS_FROM') ?: random_int(1, 2 ** 30));
$step = room(0.3);
$count = PROGRAMS;
[$real, $memory] = run_on_both($first, $count, $step);
check('there were many', $count >= intdiv(PROGRAMS, 16), $count);
same('programs', [$count, $count], [count($real), count($memory)]);
$calls = 0;
foreach ($real as $i => $log) {
    $calls += substr_count($log, ' | ') + 1;
    $both = [$log, $memory[$i]];
    /* Where a renewal comes as a step begins, or as a TTL ends, no two runs need be the same. */
    for ($more = 8; $both[0] !== $both[1] && $more > 0; $more--) {
        [$one, $short] = [1, 0.3 * slowness()];
        $both = array_column(run_on_both($first + $i, $one, $short), 0);
    }
    if (!same('program ' . $first + $i . ' (REDISLOCK_PROGRAMS_FROM)', ...$both)) {
        break;
    }
}
check('calls', $calls > $count * STEPS, $calls);
/* The programs meet what they are for; a few of them meet only a part of it. */
foreach (['acquire: token', 'acquire: null', 'release: true', 'release: false', 'extend: true',
        'lease: token', 'leaseSlot: token', 'leaseSlot: null', 'slot: 2', 'held: true',
        'held: false', '"foreign":true', 'resume: token', 'in the section',
        'RedisLockTimeoutException', 'RedisLockLostException', 'loss: Deleted', 'loss: Expired',
        ...(HAS_FENCES ? ['fence: 1'] : [])] as $what) {
    check($what, $count < PROGRAMS / 4 || str_contains(implode("\n", $real), $what));
}

done();
?>
--EXPECT--
ok
