<?php
/*
 * One lock on five servers.
 *
 * The limit is a program in C that sends to all of them at once and goes on when a quorum has
 * answered; beside it stands what it costs to ask one after the other. All parties take turns on
 * the same five servers, and what counts is the ratio within each round. A cycle is measured until
 * the lock is there, and until it is freed.
 *
 * The servers are at hand (loopback), or behind bench/delay_proxy.c, which makes the round trip 2
 * ms.
 */

const REDLOCK_PEERS = [
    'redlock-php' => ['redlock-php', 'signe/redlock-php'],
    'malkusch' => ['malkusch/lock, DistributedMutex', 'malkusch/lock'],
    'symfony' => ['symfony/lock, CombinedStore', 'symfony/lock'],
];
const DELAY_US = 1000; // in each direction

function section_redlock(Bench $bench, array $php, array $given): void
{
    [$parties, $missing] = redlock_parties($php, $given);
    $bench->report->section('Several servers', 'One lock on five servers.' . ($missing === [] ? ''
        : ' Left out: ' . implode('; ', $missing) . '.'));
    $near = new Members($bench);
    $far = new Members($bench, [$given['proxy'], (string) DELAY_US]);
    redlock_ways($bench, ['loopback' => $near, 'through the proxy' => $far]);
    redlock_warm($bench, $parties, $near, 'loopback');
    redlock_warm($bench, $parties, $far, '2 ms round trip', 1.1);
    redlock_cold($bench, $parties, $near, 'loopback');
    redlock_cold($bench, $parties, $far, '2 ms round trip', 1.3);
    unset($parties['sequential']); // would wait for ever
    foreach (['hung', 'dead'] as $fault) {
        redlock_fault($bench, $parties, $near, 'loopback', $fault);
        redlock_fault($bench, $parties, $far, '2 ms round trip', $fault, 1.2);
    }
    $far->end();
    redlock_hung($bench, [...$php, __DIR__ . '/redlock_hung_worker.php'], $near);
    $ratio = redlock_burst($bench, $parties, $near);
    $bench->report->promise('burst of 8 on five servers against 8 x 1 ms', number($ratio), '<= 3',
        $ratio <= 3);
    $near->end();
}

/** RedisLock by plain TCP. */
function redislock_party(array $php, string $label): Party
{
    return new Party('redislock', $label,
        [...$php, __DIR__ . '/redlock_worker.php', 'redislock', ''], false,
        [...$php, __DIR__ . '/section_worker.php', 'redlock/redislock', '{PORTS}', '']);
}

/** C on hiredis, which asks all servers at once. */
function limit_party(array $given, string $label): Party
{
    return new Party('c', $label, [$given['redlock'], 'together'], false, null);
}

/** @return array{array<string, Party>, list<string>} those that are there, and why others are
 * not */
function redlock_parties(array $php, array $given): array
{
    $worker = __DIR__ . '/redlock_worker.php';
    $sections = __DIR__ . '/section_worker.php';
    $parties = [
        'redislock' => redislock_party($php, 'RedisLock'),
        'c' => limit_party($given, 'C on hiredis'),
        'sequential' => new Party('sequential', 'sequential, C', [$given['redlock'], 'sequential'],
            false, null),
    ];
    $missing = [];
    foreach (REDLOCK_PEERS as $name => [$label, $package]) {
        $folder = "$given[packages]/$name";
        $reason = why_missing($folder, $package, true, $given);
        if ($reason !== null) {
            $missing[] = "$label ($reason)";
            continue;
        }
        $command = [...$php, ...flags($given['redis'])];
        $parties[$name] = new Party($name, $label, [...$command, $worker, $name, $folder], true,
            [...$command, $sections, "redlock/$name", '{PORTS}', $folder]);
    }
    return [$parties, $missing];
}

/** What a PING takes on each way. @param array<string, Members> $ways */
function redlock_ways(Bench $bench, array $ways): void
{
    $rows = [];
    foreach ($ways as $name => $members) {
        $wire = new Wire($members->ports()[0]);
        $times = [];
        for ($i = 0; $i < 300; $i++) {
            $start = hrtime(true);
            $wire->ask('PING');
            $times[] = hrtime(true) - $start;
        }
        $rows[] = [$name, duration(median($times)), duration(quantile($times, 0.99))];
    }
    $bench->report->table(['a PING from PHP', 'p50', 'p99'], $rows);
}

/** Connected before, and no other process wants the lock. $target is the most that RedisLock may
 * need against the limit. */
function redlock_warm(Bench $bench, array $parties, Members $members, string $way,
    ?float $target = null): void
{
    $cycles = $target === null ? 50 : 10;
    $workers = redlock_start($parties, $members);
    $rounds = [];
    $bench->takeTurns("five servers, $way", $parties, $bench->choose(40, 8), $bench->choose(5, 1.5),
        function (Party $party) use ($workers, $cycles, &$rounds): void {
            $answers = redlock_ask($workers[$party->name], $cycles);
            $rounds[$party->name]['taken'][] = median(array_column($answers, 0));
            $rounds[$party->name]['freed'][] = median(array_column($answers, 1));
        });
    redlock_stop($workers);
    $rows = [];
    foreach ($parties as $name => $party) {
        $rows[] = [$party->label, duration(median($rounds[$name]['taken'])),
            number(redlock_ratio($rounds[$name]['taken'], $rounds['c']['taken'])),
            duration(median($rounds[$name]['freed'])),
            number(redlock_ratio($rounds[$name]['freed'], $rounds['c']['freed']))];
    }
    $bench->report->table(["five servers, $way", 'acquire', 'times C', 'acquire and release',
        'times C'], $rows);
    if ($target !== null) {
        $ratio = redlock_ratio($rounds['redislock']['taken'], $rounds['c']['taken']);
        $bench->report->promise("acquire on five servers, $way, against C", sprintf('%.3f', $ratio),
            "<= $target",
            $ratio <= $target);
    }
}

/** A process that has just begun: it connects, and takes the lock. */
function redlock_cold(Bench $bench, array $parties, Members $members, string $way,
    ?float $target = null): void
{
    $times = [];
    $bench->takeTurns("five servers, $way, cold", $parties, $bench->choose(40, 8),
        $bench->choose(8, 2),
        function (Party $party) use ($members, &$times): void {
            $child = $party->start('cold', $members);
            $times[$party->name][] = (int) fgets($child['out'])
                ?: throw new RuntimeException("$party->label could not take a lock");
            Processes::end($child['pid'], 0);
        });
    $rows = [];
    foreach ($parties as $name => $party) {
        $rows[] = [$party->label, duration(median($times[$name])),
            number(redlock_ratio($times[$name], $times['c']))];
    }
    $bench->report->table(["a new process, five servers, $way", 'connect and acquire',
        'times C'], $rows);
    if ($target !== null) {
        $ratio = redlock_ratio($times['redislock'], $times['c']);
        $bench->report->promise("connect and acquire on five servers, $way, against C",
            sprintf('%.3f', $ratio),
            "<= $target", $ratio <= $target);
    }
}

/**
 * All is well, and then one server hangs, or is dead: what the first acquire takes that meets it,
 * and all others, for two seconds. Each server has its turn. $target is the most that the later
 * ones may need against the healthy time.
 */
function redlock_fault(Bench $bench, array $parties, Members $members, string $way, string $fault,
    ?float $target = null): void
{
    $repetitions = $bench->choose(Members::COUNT, 3);
    $found = [];
    for ($i = 0; $i < $repetitions; $i++) {
        $bench->progress("five servers, $way, one $fault",
            sprintf('%d of %d', $i + 1, $repetitions));
        // A library that waits a second for each answer shows it in one round.
        $here = array_filter($parties, fn (Party $party) => $i === 0 || !$party->isLibrary);
        foreach (redlock_fault_once($here, $members, $i % Members::COUNT, $fault)
                as $name => $times) {
            $found[$name][] = $times;
        }
    }
    $bench->progressDone();
    $rows = [];
    foreach ($parties as $name => $party) {
        $rows[] = [$party->label, ...redlock_fault_row($found[$name])];
    }
    $bench->report->table(["one of five $fault, $way", 'acquire before', 'the first after',
        'later ones', 'p99',
        'later against before', 'exceptions'], $rows);
    if ($target !== null) {
        redlock_fault_promises($bench, $found['redislock'], "one of five $fault, $way", $target);
    }
}

/** @return array<string, array{before: array, first: array, later: array}> answers by party */
function redlock_fault_once(array $parties, Members $members, int $number, string $fault): array
{
    $workers = redlock_start($parties, $members);
    $times = [];
    foreach ($workers as $name => $worker) {
        $times[$name]['before'] = redlock_ask($worker, 20);
    }
    $fault === 'hung' ? $members->hang($number) : $members->kill($number);
    usleep(20_000);
    foreach ($workers as $name => $worker) {
        $times[$name]['first'] = redlock_ask($worker, 1);
        $times[$name]['later'] = $parties[$name]->isLibrary ? redlock_ask($worker, 1) : [];
    }
    $ours = array_filter($workers, fn (string $name) => !$parties[$name]->isLibrary,
        ARRAY_FILTER_USE_KEY);
    for ($i = 0; $i < 20; $i++) {
        foreach ($ours as $name => $worker) {
            $times[$name]['later'] = [...$times[$name]['later'], ...redlock_ask($worker, 5)];
        }
        usleep(100_000);
    }
    $fault === 'hung' ? $members->goOn($number) : $members->revive($number);
    redlock_stop($workers);
    return $times;
}

/** @param list<array> $repetitions what redlock_fault_once() gave for one party */
function redlock_fault_row(array $repetitions): array
{
    $all = fn (string $when) => array_merge(...array_column($repetitions, $when));
    $taken =
        fn (array $answers) => array_column(array_filter($answers,
            fn (array $answer) => !isset($answer[2])), 0);
    $before = $taken($all('before'));
    $later = $taken($all('later'));
    return [duration(median($before)), duration(median($taken($all('first')))),
        duration(median($later)),
        duration(quantile($later, 0.99)), number(median($later) / median($before)),
        redlock_exceptions([...$all('first'), ...$all('later')])];
}

function redlock_exceptions(array $answers): string
{
    $thrown = array_filter($answers, fn (array $answer) => isset($answer[2]));
    return $thrown === [] ? '0'
        : sprintf('%d of %d: %s, after %s at most', count($thrown), count($answers),
        implode(', ', array_unique(array_column($thrown, 2))),
        duration(max(array_column($thrown, 0))));
}

function redlock_fault_promises(Bench $bench, array $repetitions, string $what, float $target): void
{
    $more = $second = $later = [];
    foreach ($repetitions as ['before' => $before, 'first' => $first, 'later' => $others]) {
        $healthy = median(array_column($before, 0));
        $more[] = $first[0][0] - $healthy;
        $second[] = $others[0][0] / $healthy;
        $later[] = median(array_column($others, 0)) / $healthy;
    }
    $isAll = redlock_exceptions(array_merge(...array_column($repetitions, 'first'),
        ...array_column($repetitions, 'later'))) === '0';
    $bench->report->promise("$what: the first acquire takes more than before by",
        duration(median($more)), '<= 5 ms',
        $isAll && median($more) <= 5_000_000);
    $bench->report->promise("$what: the second acquire against before", number(median($second)),
        "<= $target",
        $isAll && median($second) <= $target);
    $bench->report->promise("$what: the others against before", number(median($later)),
        "<= $target",
        $isAll && median($later) <= $target);
}

/** Two that hang leave a quorum; three do not. */
function redlock_hung(Bench $bench, array $command, Members $members): void
{
    $rows = [];
    // How many hang, the timeout, the TTL, and the time that a server has, which is a tenth of the
    // TTL at most.
    foreach ([[2, 1.0, 30.0, 1.0], [3, 0.2, 30.0, 0.2], [3, 1.0, 2.0, 0.2]]
            as [$hung, $timeout, $ttl, $limit]) {
        $found = redlock_hung_calls($bench, [...$command, (string) $timeout], $members,
            $hung, $ttl);
        $what = "$hung of five hung, timeout $timeout s, TTL $ttl s";
        foreach ($found as $when => $answers) {
            $times = array_column($answers, 0);
            $outcomes =
                array_unique(array_map(fn (array $words) => implode(' ', array_slice($words, 1)),
                    $answers));
            $rows[] = ["$what, $when", duration(median($times)), duration(max($times)),
                implode(', ', $outcomes)];
            $isRight = $outcomes === [$hung === 2 ? 'granted'
                : "RedisLockConnectionException $hung"];
            $bench->report->promise("$what, $when: "
                . ($hung === 2 ? 'granted' : 'the exception comes'),
                ($isRight ? '' : 'another outcome, ') . duration(max($times)),
                '<= ' . duration($limit * 1.2e9),
                $isRight && max($times) <= $limit * 1.2e9);
        }
    }
    $bench->report->table(['loopback', 'p50', 'most', 'outcome, servers named'], $rows);
}

/** @return array<string, list<array>> answers, from connections that were there before and from a
 * new process */
function redlock_hung_calls(Bench $bench, array $command, Members $members, int $hung,
    float $ttl): array
{
    $found = [];
    for ($i = 0; $i < $bench->choose(5, 2); $i++) {
        $bench->progress("$hung of five hung", sprintf('%d', $i + 1));
        $numbers = array_map(fn (int $number) => ($i + $number) % Members::COUNT,
            range(0, $hung - 1));
        $ports = array_map(strval(...), $members->ports());
        $connected = Processes::start([...$command, ...$ports]);
        fwrite($connected['in'], "30\n");
        fgets($connected['out']);
        array_map($members->hang(...), $numbers);
        foreach (['connected' => $connected,
            'a new process' => Processes::start([...$command, ...$ports])]
            as $when => $child) {
            fwrite($child['in'], "$ttl\n");
            $found[$when][] = explode(' ', trim(fgets($child['out'])));
        }
        array_map($members->goOn(...), $numbers);
        redlock_stop([$connected, $child]);
    }
    $bench->progressDone();
    return $found;
}

/** Eight processes ask for the same lock at once, and each has one section of 1 ms. Gives by how
 * much RedisLock needs longer than the sections alone. */
function redlock_burst(Bench $bench, array $parties, Members $members): float
{
    $parties = array_filter($parties, fn (Party $party) => $party->hasSections());
    $width = 8;
    $workers = $rounds = [];
    foreach ($parties as $name => $party) {
        $workers[$name] = $party->startWorkers($bench->control, $width, $members);
        warm_up($bench, $workers[$name]);
    }
    $bench->takeTurns("five servers, burst of $width", $parties, $bench->choose(15, 5),
        $bench->choose(10, 2),
        function (Party $party) use ($bench, $members, $workers, $width, &$rounds): void {
            $reads = $members->reads();
            $bench->begin($workers[$party->name], range(0, $width - 1), MILLISECOND, 1,
                60 * SECOND);
            $round = $bench->finish($workers[$party->name], range(0, $width - 1));
            $rounds[$party->name][] = ['reads' => $members->reads() - $reads - Members::COUNT]
                + $round;
        });
    foreach ($workers as $party) {
        $party->end();
    }
    burst_table($bench, "$width processes, five servers, loopback", $parties, $rounds);
    $totals = array_column(array_map(burst_figures(...), $rounds['redislock']), 'total');
    return median($totals) / ($width * MILLISECOND);
}

/** @return array<string, array> processes by party, connected */
function redlock_start(array $parties, Members $members): array
{
    $workers = array_map(fn (Party $party) => $party->start('warm', $members), $parties);
    foreach ($workers as $worker) {
        redlock_ask($worker, 5);
    }
    return $workers;
}

function redlock_stop(array $workers): void
{
    foreach ($workers as $worker) {
        fclose($worker['in']);
        Processes::end($worker['pid'], 0);
    }
}

/** @return list<array> for each cycle: ns until taken, until freed; or ns until an exception, null,
 * its class */
function redlock_ask(array $worker, int $cycles): array
{
    fwrite($worker['in'], "$cycles\n");
    $line = fgets($worker['out']) ?: throw new RuntimeException('a worker ended early');
    return array_map(function (string $word): array {
        [$time, $class] = [...explode('!', $word), null];
        return $class === null ? array_map('intval', explode(',', $word))
            : [(int) $time, null, $class];
    }, explode(' ', trim($line)));
}

/** The median of the ratios in rounds that both had. */
function redlock_ratio(array $ours, array $theirs): float
{
    $count = min(count($ours), count($theirs));
    return median(array_map(fn ($a, $b) => $a / $b, array_slice($ours, 0, $count),
        array_slice($theirs, 0, $count)));
}
