<?php
/*
 * The uncontended cycle: one lock taken and freed over and over, nobody else there.
 *
 * Client and server share one core, for then a round trip has no sleeping core to wake, and the
 * difference is the client's own work. Two that are compared take turns in short rounds, and what
 * counts is the ratio within each pair: what else the machine does hits both.
 *
 * First RedisLock against the same two commands in C on hiredis, its calls alone; then a cycle that
 * may wait against one that may not; then all libraries, as empty sections through bench/peers.
 */

const PIN = ['taskset', '-c', '0'];

function section_cycle(Bench $bench, array $php, string $limit): void
{
    $server = new Server($bench->server, $bench->folder, PIN);
    $calls = [...$php, __DIR__ . '/cycle_worker.php'];
    $bench->report->section('A cycle that nobody contends');
    cycle_limit($bench, $server, $calls, $limit);
    cycle_libraries($bench, $server, $limit);
    $server->end();
}

function cycle_limit(Bench $bench, Server $server, array $calls, string $limit): void
{
    $dsn = "redis://127.0.0.1:$server->port";
    $pairs = [
        'against C, unix socket' => [[...$calls, "unix://$server->socket", '0'],
            [$limit, 'unix', $server->socket]],
        'against C, loopback TCP' => [[...$calls, $dsn, '0'],
            [$limit, 'tcp', (string) $server->port]],
        'wait: 1 against wait: 0' => [[...$calls, $dsn, '1'], [...$calls, $dsn, '0']],
    ];
    $rows = [];
    foreach ($pairs as $name => [$ours, $theirs]) {
        $times = cycle_pair($bench, $name, $ours, $theirs);
        $ratio = median($times['ratio']);
        $rows[] = [$name, number(median($times['ours'])), number(median($times['theirs'])),
            number($ratio)];
        $isWait = str_starts_with($name, 'wait');
        $bench->report->promise("cycle, $name", sprintf('%.3f', $ratio),
            $isWait ? '>= 0.97' : '>= 0.95',
            $ratio >= ($isWait ? 0.97 : 0.95));
    }
    $bench->report->table(['RedisLock, its calls alone', 'us', 'the other, us',
        'throughput'], $rows);
}

/** Times of a cycle in microseconds, and the ratios of throughput. Processes of one program differ
 * by some percent, each for as long as it lives, so there are several pairs of processes. */
function cycle_pair(Bench $bench, string $name, array $oursCommand, array $theirsCommand): array
{
    $times = ['ours' => [], 'theirs' => [], 'ratio' => []];
    $processes = $bench->choose(8, 4);
    for ($i = 0; $i < $processes; $i++) {
        $bench->progress("cycle, $name", sprintf('processes %d of %d', $i + 1, $processes));
        $more = cycle_pair_once($bench, $oursCommand, $theirsCommand);
        $times = array_merge_recursive($times, $more);
    }
    $bench->progressDone();
    return $times;
}

function cycle_pair_once(Bench $bench, array $oursCommand, array $theirsCommand): array
{
    $cycles = $bench->choose(1500, 1000);
    $ours = Processes::start([...PIN, ...$oursCommand]);
    $theirs = Processes::start([...PIN, ...$theirsCommand]);
    cycle_time($ours, $cycles);
    cycle_time($theirs, $cycles);
    $times = [];
    for ($i = 0; $i < $bench->choose(8, 3); $i++) {
        // The order changes, so that neither always runs first.
        if ($i % 2) {
            $a = cycle_time($ours, $cycles);
            $b = cycle_time($theirs, $cycles);
        } else {
            $b = cycle_time($theirs, $cycles);
            $a = cycle_time($ours, $cycles);
        }
        $times['ours'][] = $a / $cycles / 1000;
        $times['theirs'][] = $b / $cycles / 1000;
        $times['ratio'][] = $b / $a;
    }
    Processes::end($ours['pid']);
    Processes::end($theirs['pid']);
    return $times;
}

/** All libraries beside each other, and what a long run of cycles does to their memory. */
function cycle_libraries(Bench $bench, Server $server, string $limit): void
{
    $rounds = $bench->choose(20, 5);
    $cycles = 500;
    $children = $memory = $times = [];
    foreach ($bench->libraries as $name => $library) {
        $children[$name] = Processes::start([...PIN, ...$library->cycleCommand($server)]);
        cycle_time($children[$name], $cycles);
        cycle_time($children[$name], $cycles);
        $memory[$name] = Processes::memory($children[$name]['pid']);
    }
    $bench->takeTurns('cycle, all libraries', $bench->libraries, $rounds, INF,
        function (Library $library) use ($children, $cycles, &$times): void {
            $times[$library->name][] = cycle_time($children[$library->name], $cycles) / $cycles;
        });
    $rows = [];
    foreach ($bench->libraries as $name => $library) {
        $ratios = array_map(fn ($ours, $theirs) => $theirs / $ours, $times['redislock'],
            $times[$name]);
        $after = Processes::memory($children[$name]['pid']);
        $more = $after === null ? '-' : (string) ($after - $memory[$name]);
        $rows[] = [$library->label, number(median($times[$name]) / 1000), number(median($ratios)),
            (string) ($memory[$name] ?? '-'), $more];
        Processes::end($children[$name]['pid']);
    }
    $bench->report->table(['empty section, loopback TCP', 'us', 'times RedisLock', 'memory, KiB',
        'more after ' . $rounds * $cycles . ' cycles, KiB'], $rows);
}

/** Nanoseconds. $order says how many cycles, and of what if the worker knows several. */
function cycle_time(array $child, int|string $order): int
{
    fwrite($child['in'], "$order\n");
    return (int) fgets($child['out']) ?: throw new RuntimeException('a worker ended early');
}
