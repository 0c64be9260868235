<?php
/*
 * The uncontended cycle: one process takes and frees one lock over and over, and no other
 * process wants it.
 *
 * Client and server share one core, for then a round trip has no sleeping core to wake, and all
 * that both do counts. Those that are compared take turns in short rounds, and what counts is the
 * ratio within each round: what else the machine does hits all.
 *
 * First RedisLock against the same two commands in C on hiredis, its calls alone; then a cycle that
 * may wait against one that may not; then against a lock that is written by hand on phpredis, and
 * all libraries, as empty sections through bench/peers: on one core, and with the client on another
 * core than the server, where each hides the work of the other.
 */

const CORE = ['taskset', '-c'];
const PIN = [...CORE, '0'];

function section_cycle(Bench $bench, array $php, array $given): void
{
    $server = new Server($bench->server, $bench->folder, PIN);
    $calls = [...$php, __DIR__ . '/cycle_worker.php'];
    $bench->report->section('A cycle that nobody contends');
    cycle_limit($bench, $server, $calls, $given['cycle']);
    cycle_by_hand($bench, $server, $php, $given);
    cycle_libraries($bench, $server);
    $server->end();
}

function cycle_limit(Bench $bench, Server $server, array $calls, string $limit): void
{
    $dsn = "redis://127.0.0.1:$server->port";
    $pairs = [
        'against C, unix socket' => [[...$calls, 'acquire', "unix://$server->socket"],
            [$limit, 'unix', $server->socket]],
        'against C, loopback TCP' => [[...$calls, 'acquire', $dsn],
            [$limit, 'tcp', (string) $server->port]],
        'wait: 1 against wait: 0' => [[...$calls, 'acquire', $dsn, '1'],
            [...$calls, 'acquire', $dsn, '0']],
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

/** Against a lock by hand, over a unix socket: on one core with the server, and on another one. */
function cycle_by_hand(Bench $bench, Server $server, array $php, array $given): void
{
    if ($given['redis'] === 'missing') {
        return; // find_libraries() has said so
    }
    $worker = [...$php, ...flags($given['redis']), __DIR__ . '/cycle_worker.php'];
    $ways = [];
    foreach (['by-hand' => 'phpredis by hand, EVALSHA', 'acquire' => 'acquire and release',
        'lease' => 'lease and release', 'synchronized' => 'synchronized'] as $way => $label) {
        $address = $way === 'by-hand' ? $server->socket : "unix://$server->socket";
        $ways[$way] = new Library($way, $label, [...$worker, $way, $address], []);
    }
    $targets = ['acquire' => 0.9, 'synchronized' => 0.8];
    foreach (cores() as $core => $place) {
        $found = cycle_turns($bench, "cycle, by hand, $place", $ways, $server, $core,
            $bench->choose(4, 2), $bench->choose(14, 7), 1000);
        $rows = [];
        foreach ($ways as $way => $library) {
            $ratio = median(array_map(fn ($by, $our) => $by / $our, $found['by-hand']['times'],
                $found[$way]['times']));
            $rows[] = [$library->label, ...cycle_row($found[$way]), number($ratio)];
            if ($core === 0 && isset($targets[$way])) {
                $bench->report->promise("$way on one core, against phpredis by hand",
                    sprintf('%.3f', $ratio), ">= $targets[$way]", $ratio >= $targets[$way]);
            }
        }
        $bench->report->table(["unix socket, $place", 'cycles a second', 'CPU of the client, us',
            'CPU of the server, us', 'throughput'], $rows);
    }
}

/** All libraries beside each other, and what a long run of cycles does to their memory. */
function cycle_libraries(Bench $bench, Server $server): void
{
    foreach (cores() as $core => $place) {
        $rounds = $bench->choose(20, 5);
        $found = cycle_turns($bench, "cycle, all libraries, $place", $bench->libraries, $server,
            $core, 1, $rounds, 500);
        $rows = [];
        foreach ($bench->libraries as $name => $library) {
            ['times' => $times, 'memory' => [$before, $after]] = $found[$name];
            $ratios = array_map(fn ($ours, $theirs) => $theirs / $ours,
                $found['redislock']['times'], $times);
            $rows[] = [$library->label, number(median($times) / 1000), number(median($ratios)),
                ...cycle_row($found[$name]), (string) ($before ?? '-'),
                $after === null ? '-' : (string) ($after - $before)];
        }
        $bench->report->table(["empty section, loopback TCP, $place", 'us', 'times RedisLock',
            'cycles a second', 'CPU of the client, us', 'CPU of the server, us', 'memory, KiB',
            'more after ' . $rounds * 500 . ' cycles, KiB'], $rows);
    }
}

/** Where the clients run: the server is on the first core. */
function cores(): array
{
    exec('nproc', $count);
    return array_slice(['one core', 'two cores'], 0, min(2, (int) $count[0]));
}

/** @return list<string> cycles a second, and the CPU of client and server for a cycle */
function cycle_row(array $found): array
{
    $cpu = fn (array $each): string => $each === [] ? '-' : number(median($each) / 1000);
    return [number(SECOND / median($found['times'])), $cpu($found['client']),
        $cpu($found['server'])];
}

/**
 * Libraries that take turns, in processes that are started anew for each of $batches.
 *
 * @param array<string, Library> $libraries
 * @return array<string, array> nanoseconds of a cycle, and of the CPU of client and server in it,
 *     each for all rounds; and the memory of the first process before and after
 */
function cycle_turns(Bench $bench, string $step, array $libraries, Server $server, int $core,
    int $batches, int $rounds, int $cycles): array
{
    $found = array_fill_keys(array_keys($libraries),
        ['times' => [], 'client' => [], 'server' => []]);
    for ($batch = 0; $batch < $batches; $batch++) {
        $children = $before = [];
        foreach ($libraries as $name => $library) {
            $children[$name] = Processes::start([...CORE, (string) $core,
                ...$library->cycleCommand($server)]);
            cycle_time($children[$name], $cycles);
            cycle_time($children[$name], $cycles);
            $before[$name] = Processes::memory($children[$name]['pid']);
        }
        $bench->takeTurns($step, $libraries, $rounds, INF,
            function (Library $library) use ($children, $server, $cycles, &$found): void {
                $child = $children[$library->name];
                $pids = ['client' => $child['pid'], 'server' => $server->pid()];
                $used = array_map(Processes::cpu(...), $pids);
                $found[$library->name]['times'][] = cycle_time($child, $cycles) / $cycles;
                foreach (array_filter($used) as $part => $then) {
                    $found[$library->name][$part][] =
                        (Processes::cpu($pids[$part]) - $then) / $cycles;
                }
            });
        foreach ($children as $name => $child) {
            $found[$name]['memory'] ??= [$before[$name], Processes::memory($child['pid'])];
            Processes::end($child['pid']);
        }
    }
    return $found;
}

/** Nanoseconds. $order says how many cycles, and of what if the worker knows several. */
function cycle_time(array $child, int|string $order): int
{
    fwrite($child['in'], "$order\n");
    return (int) fgets($child['out']) ?: throw new RuntimeException('a worker ended early');
}
