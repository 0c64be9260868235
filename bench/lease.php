<?php
/*
 * What a lease costs: the cycle beside that of a token, in one process, the calls that ask no
 * server, and a process that holds a lease and sleeps.
 *
 * As in bench/cycle.php, client and server share one core, the kinds take turns in short rounds,
 * and what counts is the ratio within each round.
 */

function section_lease(Bench $bench, array $php): void
{
    $server = new Server($bench->server, $bench->folder, PIN);
    $worker = [...$php, __DIR__ . '/lease_worker.php', "unix://$server->socket"];
    $bench->report->section('A lease',
        'One process takes its lock over a unix socket, and no other process wants it.');
    lease_cycles($bench, $worker);
    lease_calls($bench, $worker);
    lease_idle($bench, [...$php, __DIR__ . '/idle_worker.php', "unix://$server->socket"]);
    $server->end();
}

function lease_cycles(Bench $bench, array $worker): void
{
    $kinds = [
        'acquire' => 'acquire() and release()',
        'lease' => 'lease() and its release()',
        'unset' => 'lease() and the end of the object',
        'synchronized' => 'synchronized(), an empty section',
    ];
    $cycles = $bench->choose(1500, 500);
    $times = lease_rounds($bench, 'lease, cycles', $worker, array_keys($kinds),
        $bench->choose(40, 12), $cycles);
    $rows = [];
    foreach ($kinds as $kind => $label) {
        $ratio =
            median(array_map(fn (float $token, float $time) => $token / $time, $times['acquire'],
                $times[$kind]));
        $rows[] = [$label, number(median($times[$kind]) / 1000), number($ratio)];
        if ($kind === 'lease') {
            $bench->report->promise('lease and release against acquire and release',
                sprintf('%.3f', $ratio),
                '>= 0.85', $ratio >= 0.85);
        }
    }
    $bench->report->table(['a cycle', 'us', 'throughput'], $rows);
}

function lease_calls(Bench $bench, array $worker): void
{
    $kinds = [
        'userland' => 'an empty method in PHP',
        'internal' => 'SplFixedArray::getSize()',
        'isHeld' => 'isHeld()',
        'remaining' => 'remaining()',
    ];
    $calls = 100_000;
    $loops = ['loop', ...array_keys($kinds)];
    $times = lease_rounds($bench, 'lease, calls', $worker, $loops, $bench->choose(30, 10), $calls);
    $rows = [];
    foreach ($kinds as $kind => $label) {
        $alone = array_map(fn (float $time, float $loop) => $time - $loop, $times[$kind],
            $times['loop']);
        $rows[] = [$label, number(median($alone))];
    }
    $bench->report->table(['a call without traffic', 'ns'], $rows);
}

/** @return array<string, list<float>> nanoseconds of one, by kind, a number for each round */
function lease_rounds(Bench $bench, string $step, array $command, array $kinds, int $rounds,
    int $count): array
{
    $worker = Processes::start([...PIN, ...$command]);
    $times = [];
    for ($round = -1; $round < $rounds; $round++) {
        $bench->progress($step, sprintf('round %d of %d', max($round, 0) + 1, $rounds));
        // Each begins a round as often as the others.
        $kinds[] = array_shift($kinds);
        foreach ($kinds as $kind) {
            $time = cycle_time($worker, "$kind $count") / $count;
            if ($round >= 0) { // the first one is a warm-up
                $times[$kind][] = $time;
            }
        }
    }
    $bench->progressDone();
    Processes::end($worker['pid']);
    return $times;
}

/** What renewal costs a process that does nothing else. */
function lease_idle(Bench $bench, array $command): void
{
    $seconds = $bench->choose(12, 4);
    $kinds = [
        'no lease' => [0, 1],
        'a lease with a TTL of 30 s' => [1, 30],
        'a lease with a TTL of 1 s' => [1, 1],
        '100 leases with a TTL of 1 s' => [100, 1],
    ];
    $children = [];
    foreach ($kinds as $label => [$count, $ttl]) {
        for ($i = 0; $i < 3; $i++) {
            $children[$label][] =
                Processes::start([...$command, (string) $count, (string) $ttl, (string) $seconds]);
        }
    }
    $bench->progress('lease, idle', "$seconds s");
    $rows = [];
    foreach ($children as $label => $group) {
        $answers = array_map(fn (array $child) => explode(' ', trim(fgets($child['out']))), $group);
        array_map(fn (array $child) => Processes::end($child['pid'], 0), $group);
        $used = median(array_column($answers, 0)) / $seconds;
        $held = implode(', ', array_column($answers, 1));
        $rows[] = [$label, number($used), sprintf('%.3f %%', $used / 10_000), $held];
    }
    $bench->progressDone();
    $bench->report->table(["$seconds s asleep", 'CPU time, us a second', 'of one core',
        'held at the end'], $rows);
}
