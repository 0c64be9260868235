<?php
/*
 * A cluster of three nodes, and a primary behind three Sentinels: what they cost on warm
 * connections, for many keys, for a new process, and for waiters.
 *
 * RedisLock on a cluster or behind Sentinels stands beside RedisLock on one server by redis://,
 * which is one of the same nodes or the same primary, and beside other clients that lock by hand
 * there. All of them take turns, and the ratio within each round counts.
 */

const TOPOLOGY_PEERS = [
    'redislock' => 'RedisLock, redis://',
    'redislock_cluster' => 'RedisLock, redis-cluster://',
    'phpredis_cluster' => 'phpredis by hand, RedisCluster',
    'predis_cluster' => 'Predis by hand, cluster',
    'redislock_sentinel' => 'RedisLock, redis-sentinel://',
    'phpredis_sentinel' => 'phpredis by hand, RedisSentinel',
    'predis_sentinel' => 'Predis by hand, Sentinels',
];
const TOPOLOGY_KEYS = 10_000;
/** The last check of a primary is old after the first pause, and too old after the second one. */
const TOPOLOGY_PAUSES_MS = [600, 1200];

function section_topologies(Bench $bench, array $php, array $given): void
{
    $version = $bench->libraries['c']->server->version();
    if (preg_match('/^Redis [0-6]\./', $version)) {
        fwrite(STDERR, "skipped: topologies: $version has no cluster-port\n");
        return;
    }
    $bench->progress('starting clusters and Sentinels');
    $delay = [$given['proxy'], (string) TLS_DELAY_US];
    $clusters = [new Cluster($bench, PIN), new Cluster($bench, [], $delay)];
    $sentinels = [new Sentinels($bench, PIN), new Sentinels($bench, [], $delay)];
    [$parties, $missing] = topology_parties($php, $given, $clusters[0], $sentinels[0]);
    $bench->report->section('A cluster, and Sentinels', 'A cluster of three nodes; a primary with '
        . 'a replica and three Sentinels.' . ($missing === [] ? ''
        : ' Left out: ' . implode('; ', $missing) . '.'));
    topology_cluster($bench, $parties, ...$clusters);
    topology_sentinels($bench, $parties, [$given['proxy'], (string) DELAY_US], ...$sentinels);
    foreach ([...$clusters, ...$sentinels] as $servers) {
        $servers->end();
    }
    topology_hand_off($bench, $parties);
}

// --- Who is there
// -------------------------------------------------------------------------------------------------

/** @return array{array<string, TopologyParty>, list<string>} those that work here, and why others
 * are left out */
function topology_parties(array $php, array $given, Cluster $cluster, Sentinels $sentinels): array
{
    $packages = "$given[packages]/predis";
    $parties = $missing = [];
    foreach (TOPOLOGY_PEERS as $name => $label) {
        $isPhpredis = str_starts_with($name, 'phpredis');
        $reason = why_missing($packages, str_starts_with($name, 'predis') ? 'predis/predis' : null,
            $isPhpredis, $given);
        $party = new TopologyParty($name, $label,
            [...$php, ...($isPhpredis ? flags($given['redis']) : [])], $packages);
        $ports = match (true) {
            str_ends_with($name, 'cluster') => $cluster->ports(),
            str_ends_with($name, 'sentinel') => $sentinels->ports(),
            default => [$sentinels->primaryPort()],
        };
        if ($reason === null && !topology_works($party, $ports)) {
            str_starts_with($name, 'redislock') && throw new RuntimeException("$label fails");
            $reason = 'the installed version does not work in this mode';
        }
        if ($reason === null) {
            $parties[$name] = $party;
        } else {
            $missing[] = "$label ($reason)";
        }
    }
    return [$parties, $missing];
}

function topology_works(TopologyParty $party, array $ports): bool
{
    $child = Processes::start($party->command('bench:works', $ports));
    try {
        return cycle_time($child, 2) > 0;
    } catch (RuntimeException) {
        return false;
    } finally {
        Processes::end($child['pid']);
    }
}

/** RedisLock by redis://, and all that know this kind of servers. */
function topology_parties_of(array $parties, string $kind): array
{
    return array_filter($parties,
        fn (string $name) => $name === 'redislock' || str_ends_with($name, "_$kind"),
        ARRAY_FILTER_USE_KEY);
}

// --- A cluster
// -------------------------------------------------------------------------------------------------

function topology_cluster(Bench $bench, array $parties, Cluster $near, Cluster $far): void
{
    $parties = topology_parties_of($parties, 'cluster');
    $key = $near->key();
    $places = topology_places($parties, [$near->ports()[0]], $near->ports());
    topology_warm($bench, 'a cluster', $parties, $key, $places);
    $calls = topology_system_calls($bench, 'a cluster', $parties, $key, $places);
    if ($calls !== null) {
        $bench->report->promise('system calls for a command on a cluster',
            number($calls['redislock_cluster']), '<= 2.02', $calls['redislock_cluster'] <= 2.02);
    }
    topology_keys($bench, $parties, $near);
    [$right, $wrong] = $far->ports();
    $ways = [];
    foreach ($parties as $name => $party) {
        $ways["$party->label, right seed"] = [$party, $places[$name], [$right]];
        if ($name !== 'redislock') {
            $ways["$party->label, wrong seed"] = [$party, $places[$name], [$wrong]];
        }
    }
    $trips = topology_cold($bench, 'a cluster', $ways, $far->key(), ping_time($right));
    foreach (['right' => 2.3, 'wrong' => 4.3] as $seed => $target) {
        $measured = $trips[TOPOLOGY_PEERS['redislock_cluster'] . ", $seed seed"];
        $bench->report->promise("round trips of a first acquire on a cluster, $seed seed",
            number($measured), "<= $target", $measured <= $target);
    }
}

/** @return array<string, list<int>> ports by party */
function topology_places(array $parties, array $direct, array $others): array
{
    return array_map(fn (TopologyParty $party) => $party->name === 'redislock' ? $direct : $others,
        $parties);
}

/** Each lock has a key of its own. The processes are new, and know one node, which does not have
 * the first key. */
function topology_keys(Bench $bench, array $parties, Cluster $cluster): void
{
    unset($parties['redislock']);
    $found = [];
    $seeds = [$cluster->portWithout('bench:key:0')];
    $bench->takeTurns('many keys', $parties, $bench->choose(6, 2), INF,
        function (TopologyParty $party) use ($cluster, $seeds, &$found): void {
            $child = Processes::start([...PIN, ...$party->command($cluster->key(),
                $seeds)]);
            $before = $cluster->redirects();
            $time = cycle_time($child, 'keys ' . TOPOLOGY_KEYS);
            $found[$party->name]['redirects'][] = $cluster->redirects() - $before;
            $found[$party->name]['time'][] = $time;
            $found[$party->name]['ratio'][] = $time / cycle_time($child, TOPOLOGY_KEYS);
            Processes::end($child['pid']);
        });
    $rows = [];
    foreach ($parties as $name => $party) {
        $ratios = array_map(fn ($ours, $theirs) => $theirs / $ours,
            $found['redislock_cluster']['time'], $found[$name]['time']);
        $part = 100 * max($found[$name]['redirects']) / (2 * TOPOLOGY_KEYS);
        $rows[] = [$party->label, number(max($found[$name]['redirects'])),
            sprintf('%.3f %%', $part), number(median($found[$name]['ratio'])),
            number(median($ratios))];
        if ($name === 'redislock_cluster') {
            $bench->report->promise('calls of a process with 10,000 keys that are redirected',
                sprintf('%.3f %%', $part), '< 1 %', $part < 1);
        }
    }
    $bench->report->table(['a new process, 10,000 keys', 'redirects, most', 'of the calls',
        'times one key, warm', 'times RedisLock'], $rows);
}

// --- Sentinels
// -------------------------------------------------------------------------------------------------

/** @param list<string> $proxy the command of a proxy, up to the port */
function topology_sentinels(Bench $bench, array $parties, array $proxy, Sentinels $near,
    Sentinels $far): void
{
    $parties = topology_parties_of($parties, 'sentinel');
    $places = topology_places($parties, [$near->primaryPort()], $near->ports());
    topology_warm($bench, 'Sentinels', $parties, 'bench:cycle', $places);
    topology_system_calls($bench, 'Sentinels', $parties, 'bench:cycle', $places);
    $pair = array_intersect_key($parties, ['redislock' => 0, 'redislock_sentinel' => 0]);
    topology_pauses($bench, 'loopback', $pair, $places, $bench->choose(12, 3));
    topology_lookups($bench, $proxy, $pair, $places);
    $ping = ping_time($far->primaryPort());
    $there = topology_places($parties, [$far->primaryPort()], $far->ports());
    topology_pauses($bench, '20 ms round trip', $pair, $there, $bench->choose(5, 3), $ping);
    $ways = [];
    foreach ($parties as $name => $party) {
        $ways[$party->label] = [$party, $places[$name], $there[$name]];
    }
    $trips = topology_cold($bench, 'Sentinels', $ways, 'bench:cycle', $ping);
    $measured = $trips[TOPOLOGY_PEERS['redislock_sentinel']];
    $bench->report->promise('round trips of a first acquire behind Sentinels', number($measured),
        '<= 4.3', $measured <= 4.3);
}

/** The first acquire after a pause, beside which the Sentinels are asked. With a $ping the times
 * are given in round trips. */
function topology_pauses(Bench $bench, string $way, array $parties, array $places, int $rounds,
    ?float $ping = null): void
{
    $children = topology_start($parties, $places);
    $times = $rows = $head = [];
    foreach (TOPOLOGY_PAUSES_MS as $ms) {
        $bench->takeTurns("pauses, $way", $parties, $rounds, INF,
            function (TopologyParty $party) use ($children, $ms, &$times): void {
                $times[$ms][$party->name][] = cycle_time($children[$party->name], "rests 1 $ms");
            });
        $seconds = $ms / 1000 . ' s';
        array_push($head, ...$ping === null ? ["$seconds: times redis://", 'adds']
            : ["$seconds: round trips"]);
    }
    foreach ($parties as $name => $party) {
        $row = [$party->label];
        foreach ($times as $of) {
            $more = median(array_map(fn ($a, $b) => $a - $b, $of[$name], $of['redislock']));
            array_push($row, ...$ping === null
                ? [number(redlock_ratio($of[$name], $of['redislock'])), duration($more)]
                : [number(median($of[$name]) / $ping)]);
        }
        $rows[] = $row;
        Processes::end($children[$name]['pid']);
    }
    $bench->report->table(["an acquire after a pause, $way", ...$head], $rows);
}

/** How often the Sentinels are asked, where they are as near as the primary, and where they are
 * farther away. */
function topology_lookups(Bench $bench, array $proxy, array $parties, array $places): void
{
    $proxies = array_map(fn (int $port) => new Proxy($proxy, $port), $places['redislock_sentinel']);
    $far = array_map(fn (Proxy $proxy) => $proxy->port, $proxies);
    $rows = [];
    foreach (['as near as the primary' => $places,
        '2 ms away' => ['redislock_sentinel' => $far] + $places] as $where => $ports) {
        [$lookups, $ratio] = topology_lookups_of($bench, $where, $parties, $ports);
        $rows[] = [$where, number($lookups), number($ratio)];
        $bench->report->promise("lookups a second, Sentinels $where", number($lookups), '<= 2.5',
            $lookups <= 2.5);
    }
    foreach ($proxies as $way) {
        $way->end();
    }
    $bench->report->table(['Sentinels', 'lookups a second', 'cycle, mean, times redis://'], $rows);
}

/** @return array{float, float} lookups a second, and the mean of a cycle against redis:// */
function topology_lookups_of(Bench $bench, string $where, array $parties, array $places): array
{
    $children = topology_start($parties, $places);
    $times = [];
    $bench->takeTurns("lookups, Sentinels $where", $parties, $bench->choose(60, 16), INF,
        function (TopologyParty $party) use ($children, &$times): void {
            $times[$party->name][] = cycle_time($children[$party->name], 1000);
        });
    $ms = $bench->choose(10_000, 3000);
    $lookups = cycle_time($children['redislock_sentinel'], "lookups $ms") - 1;
    foreach ($children as $child) {
        Processes::end($child['pid']);
    }
    return [$lookups * 1000 / $ms,
        array_sum($times['redislock_sentinel']) / array_sum($times['redislock'])];
}

// --- Both
// -------------------------------------------------------------------------------------------------

function topology_warm(Bench $bench, string $where, array $parties, string $key,
    array $places): void
{
    $cycles = 500;
    $kind = str_contains($where, 'cluster') ? 'cluster' : 'sentinel';
    $commands = array_map(
        fn (TopologyParty $party) => $party->command($key, $places[$party->name]), $parties);
    $pair = cycle_pair($bench, $where, $commands["redislock_$kind"], $commands['redislock']);
    $ratio = 1 / median($pair['ratio']);
    $bench->report->promise("cycle, $where against redis://", sprintf('%.3f', $ratio), '<= 1.05',
        $ratio <= 1.05);
    $children = topology_start($parties, $places, $key);
    $times = [];
    $bench->takeTurns("cycle, $where", $parties, $bench->choose(40, 8), INF,
        function (TopologyParty $party) use ($children, $cycles, &$times): void {
            $times[$party->name][] = cycle_time($children[$party->name], $cycles) / $cycles;
        });
    $rows = [];
    foreach ($parties as $name => $party) {
        $rows[] = [$party->label, number(median($times[$name]) / 1000),
            number(redlock_ratio($times[$name], $times['redislock'])),
            number(redlock_ratio($times[$name], $times["redislock_$kind"]))];
        Processes::end($children[$name]['pid']);
    }
    $bench->report->table(["empty section, $where", 'us', 'times redis://', 'times RedisLock'],
        $rows);
}

/** Processes that have connected, by party. */
function topology_start(array $parties, array $places, string $key = 'bench:cycle'): array
{
    $children = array_map(fn (TopologyParty $party) => Processes::start(
        [...PIN, ...$party->command($key, $places[$party->name])]), $parties);
    foreach ($children as $child) {
        cycle_time($child, 200);
    }
    return $children;
}

/** @return ?array<string, float> by party */
function topology_system_calls(Bench $bench, string $where, array $parties, string $key,
    array $places): ?array
{
    return system_calls($bench, $where, array_map(fn (TopologyParty $party) =>
        [$party->label, $party->command($key, $places[$party->name])], $parties));
}

/**
 * The first acquire of a process. It has used its library before, on other servers.
 *
 * @param array<string, array{TopologyParty, list<int>, list<int>}> $ways by label; the ports that
 * are used before, and those that are measured
 * @return array<string, float> round trips by label
 */
function topology_cold(Bench $bench, string $where, array $ways, string $key, float $ping): array
{
    $times = $warm = $trips = $rows = [];
    for ($round = 0; $round < $bench->choose(10, 3); $round++) {
        foreach ($ways as $label => [$party, $before, $ports]) {
            $bench->progress("new processes, $where", sprintf('round %d, %s', $round + 1, $label));
            $child = Processes::start($party->command($key, $before, $ports));
            cycle_time($child, 20);
            $times[$label][] = cycle_time($child, 'next') / $ping;
            $warm[$label][] = cycle_time($child, 5) / 10 / $ping;
            Processes::end($child['pid']);
        }
    }
    $bench->progressDone();
    foreach ($ways as $label => $way) {
        $trips[$label] = median($times[$label]);
        $rows[] = [$label, number($trips[$label]), number(median($warm[$label]))];
    }
    $bench->report->table(["$where, " . number($ping / 1e6) . ' ms round trip',
        'first acquire, round trips', 'a command afterwards, round trips'], $rows);
    return $trips;
}

/** A burst of processes on one key. The gap between two sections is what a hand-off takes. */
function topology_hand_off(Bench $bench, array $parties): void
{
    $width = 8;
    $cluster = new Cluster($bench);
    $sentinels = new Sentinels($bench);
    $single = new Server($bench->server, $bench->folder);
    $workers = $rounds = [];
    foreach ($parties as $name => $party) {
        $ports = match (true) {
            str_ends_with($name, 'cluster') => $cluster->ports(),
            str_ends_with($name, 'sentinel') => $sentinels->ports(),
            default => [$single->port],
        };
        $workers[$name] = $party->startWorkers($bench->control, $width, $ports);
        warm_up($bench, $workers[$name]);
    }
    $bench->takeTurns('hand-off', $parties, $bench->choose(40, 8), $bench->choose(6, 1.5),
        function (TopologyParty $party) use ($bench, $workers, $width, &$rounds): void {
            $all = range(0, $width - 1);
            $bench->begin($workers[$party->name], $all, MILLISECOND, 1, 60 * SECOND);
            $rounds[$party->name][] = burst_figures(
                $bench->finish($workers[$party->name], $all) + ['reads' => 0]);
        });
    foreach ($workers as $party) {
        $party->end();
    }
    topology_hand_off_table($bench, "hand-off, $width processes", $parties, $rounds);
    foreach ([$cluster, $sentinels, $single] as $servers) {
        $servers->end();
    }
}

/** @param array<string, list<array>> $roundsOf what burst_figures() gave, by party */
function topology_hand_off_table(Bench $bench, string $title, array $parties, array $roundsOf): void
{
    $rows = [];
    $medians = array_map(
        fn (array $rounds) => array_map(median(...), array_column($rounds, 'gaps')), $roundsOf);
    foreach ($parties as $name => $party) {
        $gaps = array_merge(...array_column($roundsOf[$name], 'gaps'));
        $rows[] = [$party->label, number(median(array_column($roundsOf[$name], 'ratio'))),
            duration(median($gaps)), duration(quantile($gaps, 0.99)),
            number(redlock_ratio($medians[$name], $medians['redislock'])),
            failures($roundsOf[$name]), (string) count($roundsOf[$name])];
    }
    $bench->report->table([$title, 'all done, times ideal', 'gap p50', 'gap p99',
        'gap p50, times redis://', 'failures', 'rounds'], $rows);
}
