<?php
/*
 * TLS: what it costs on a warm connection, for a new connection, for waiters and on five servers.
 *
 * Each server speaks plain TCP on one port and TLS on another one. All times over TLS stand beside
 * those of plain TCP in the same run. The limits on a warm connection are the same cycle in C, with
 * OpenSSL between two buffers as in the extension, and on the socket (bench/cycle_tls.c).
 */

const TLS_PEERS = ['predis' => ['Predis', 'predis/predis']];
const TLS_DELAY_US = 10_000; // in each direction

function section_tls(Bench $bench, array $php, array $given): void
{
    $reason = tls_missing($given);
    if ($reason !== null) {
        fwrite(STDERR, "skipped: TLS: $reason\n");
        return;
    }
    $certificates = new Certificates("$bench->folder/tls");
    $bench->report->section('TLS', 'Certificates are ECDSA P-256; the protocol is TLS 1.3 unless '
        . 'a row says otherwise.');
    tls_cycle($bench, $php, $given, $certificates);
    tls_redials($bench, $php, $given, $certificates);
    tls_new_processes($bench, $php, $certificates);
    tls_burst($bench, $php, $certificates);
    tls_members($bench, $php, $given, $certificates);
}

function tls_missing(array $given): ?string
{
    try {
        new RedisLock('rediss://localhost');
    } catch (ValueError $e) {
        return $e->getMessage();
    }
    exec(escapeshellarg($given['server']) . ' --port 0 --tls-port 1 2>&1 </dev/null', $lines);
    return match (true) {
        $given['tls'] === 'missing' => 'there are no headers of OpenSSL, or no command openssl',
        !str_contains(implode("\n", $lines), 'tls-cert-file') => 'the server was built without TLS',
        default => null,
    };
}

// --- A warm connection
// -------------------------------------------------------------------------------------------------

function tls_cycle(Bench $bench, array $php, array $given, Certificates $certificates): void
{
    $server = new Server($bench->server, $bench->folder, PIN, $certificates);
    $calls = [...$php, __DIR__ . '/cycle_worker.php'];
    $plain = [...$calls, 'acquire', "redis://127.0.0.1:$server->port"];
    $ours = [...$calls, 'acquire', tls_dsn($server->tlsPort, $certificates->ca)];
    $limit = [$given['tls'], (string) $server->tlsPort, $certificates->ca];
    $rows = [];
    $pairs = ['against C over TLS' => [$limit, 0.95],
        'against C, OpenSSL on the socket' => [[...$limit, 'socket'], 0.9],
        'against itself over plain TCP' => [$plain, 0.6]];
    foreach ($pairs as $name => [$theirs, $target]) {
        $times = cycle_pair($bench, "TLS, $name", $ours, $theirs);
        $ratio = median($times['ratio']);
        $rows[] = [$name, number(median($times['ours'])), number(median($times['theirs'])),
            number($ratio)];
        $bench->report->promise("cycle over TLS, $name", sprintf('%.3f', $ratio), ">= $target",
            $ratio >= $target);
    }
    $bench->report->table(['RedisLock over TLS, its calls alone', 'us', 'the other, us',
        'throughput'], $rows);
    $libraries = array_filter(tls_libraries($php, $given, $certificates->ca),
        fn (Library $library) => tls_works($library, $server));
    tls_cycles($bench, $libraries, $server);
    $calls = system_calls($bench, 'TLS',
        array_map(fn (Library $library) => [$library->label, $library->cycleCommand($server)],
            $libraries));
    if ($calls !== null) {
        $bench->report->promise('system calls for a command over TLS',
            number($calls['redislock']), '<= 2.02', $calls['redislock'] <= 2.02);
    }
    $server->end();
}

/** @return array<string, Library> */
function tls_libraries(array $php, array $given, string $ca): array
{
    $worker = __DIR__ . '/peer_cycle_worker.php';
    $redis = $given['redis'] === 'missing' ? null : [...$php, ...flags($given['redis'])];
    $predis = "$given[packages]/predis";
    $commands = [
        'redislock' => ['RedisLock, TLS', [...$php, $worker, 'tls/redislock', '{TLS_PORT}', $ca]],
        'plain' => ['RedisLock, plain TCP', [...$php, $worker, 'redislock', '{PORT}', '']],
        'phpredis' => ['phpredis by hand, TLS',
            $redis === null ? null : [...$redis, $worker, 'tls/phpredis', '{TLS_PORT}', $ca]],
        'predis' => ['Predis by hand, TLS', !is_file("$predis/vendor/autoload.php") ? null
            : [...$php, $worker, 'tls/predis', '{TLS_PORT}', $ca, $predis]],
        'c' => ['C on hiredis, TLS', [$given['tls'], '{TLS_PORT}', $ca]],
        'plain c' => ['C on hiredis, plain TCP', [$given['cycle'], 'tcp', '{PORT}']],
    ];
    $libraries = [];
    foreach ($commands as $name => [$label, $command]) {
        if ($command === null) {
            fwrite(STDERR, "skipped: $label: it is not installed\n");
            continue;
        }
        $libraries[$name] = new Library($name, $label, $command, []);
    }
    return $libraries;
}

function tls_works(Library $library, Server $server): bool
{
    $child = Processes::start($library->cycleCommand($server));
    try {
        return cycle_time($child, 1) > 0;
    } catch (RuntimeException $e) {
        str_contains($library->name, 'phpredis') || $library->name === 'predis' || throw $e;
        fwrite(STDERR, "skipped: $library->label does not work here\n");
        return false;
    } finally {
        Processes::end($child['pid']);
    }
}

function tls_cycles(Bench $bench, array $libraries, Server $server): void
{
    $found = cycle_turns($bench, 'cycle over TLS', $libraries, $server, 0, 1, $bench->choose(40, 8),
        500);
    $rows = [];
    foreach ($libraries as $name => $library) {
        ['times' => $times, 'memory' => [$before]] = $found[$name];
        $ratios = array_map(fn ($ours, $theirs) => $theirs / $ours, $found['redislock']['times'],
            $times);
        $rows[] = [$library->label, number(median($times) / 1000), number(median($ratios)),
            (string) ($before ?? '-')];
    }
    $bench->report->table(['empty section, loopback', 'us', 'times RedisLock over TLS',
        'memory, KiB'], $rows);
}

// --- A new connection
// -------------------------------------------------------------------------------------------------

/** In processes that run already: a connection was closed, and the next call makes another one. */
function tls_redials(Bench $bench, array $php, array $given, Certificates $certificates): void
{
    $files = $certificates->copies($bench->choose(16, 6));
    $delay = [$given['proxy'], (string) TLS_DELAY_US];
    $servers = $ways = $found = [];
    foreach (['TLS 1.3' => 'TLSv1.3', 'TLS 1.2' => 'TLSv1.2'] as $name => $protocol) {
        $servers[$name] = new Server($bench->server, $bench->folder, [], $certificates,
            ['--tls-protocols', $protocol]);
        $ways[$name] = [$servers[$name]->tlsPort, $files];
    }
    $ways['plain TCP'] = [$servers['TLS 1.3']->port, []];
    $proxies = array_map(fn (array $way) => new Proxy($delay, $way[0]), $ways);
    for ($round = 0; $round < $bench->choose(6, 2); $round++) {
        foreach ($ways as $name => [$port, $copies]) {
            $bench->progress('new connections', sprintf('round %d, %s', $round + 1, $name));
            foreach (['near' => $port, 'far' => $proxies[$name]->port] as $where => $to) {
                foreach (tls_redial($php, $to, $copies) as $when => $dials) {
                    $found[$name][$when][$where] ??= [];
                    array_push($found[$name][$when][$where], ...$dials);
                }
            }
        }
    }
    $bench->progressDone();
    $ping = ping_time($proxies['plain TCP']->port);
    tls_redial_table($bench, $found, $ping);
    foreach ([...$proxies, ...$servers] as $process) {
        $process->end();
    }
}

/** @return array<string, list<array>> */
function tls_redial(array $php, int $port, array $files): array
{
    $child = Processes::start([...$php, __DIR__ . '/tls_redial_worker.php', (string) $port,
        $files === [] ? '16' : '1', ...$files]);
    $answer = fgets($child['out']) ?: throw new RuntimeException('a worker ended early');
    Processes::end($child['pid'], 0);
    return json_decode($answer, true);
}

function tls_redial_table(Bench $bench, array $found, float $ping): void
{
    $rows = [];
    foreach ([['plain TCP', 'again', ''], ['TLS 1.3', 'first', ', full'],
        ['TLS 1.3', 'again', ', resumed'], ['TLS 1.2', 'first', ', full'],
        ['TLS 1.2', 'again', ', resumed']] as [$name, $when, $how]) {
        ['near' => $near, 'far' => $far] = $found[$name][$when];
        $resumed = array_column([...$near, ...$far], 'isResumed');
        $far = median(array_column($far, 'ns'));
        $trips = $far / $ping;
        $cpu = median(array_column($near, 'cpu')) / 1000;
        $part = count(array_filter($resumed)) / count($resumed);
        $rows[] = [$name . $how, duration($far), number($trips),
            duration(median(array_column($near, 'ns'))), number($cpu) . ' ms',
            sprintf('%.0f %% of %d', 100 * $part, count($resumed))];
        if ($name . $how === 'TLS 1.3, full') {
            $bench->report->promise('round trips of an acquire with a new connection, TLS 1.3',
                number($trips), '<= 3.3', $trips <= 3.3);
        }
        if ($name . $how === 'TLS 1.3, resumed') {
            $bench->report->promise('redials that resume the session of TLS',
                sprintf('%.0f %%', 100 * $part), '>= 95 %', $part >= 0.95);
            $bench->report->promise('client CPU of a resumed redial, TLS 1.3',
                number($cpu) . ' ms', '<= 0.5 ms', $cpu <= 0.5);
        }
    }
    $bench->report->table(['an acquire with a new connection', number($ping / 1e6)
        . ' ms round trip', 'round trips', 'loopback', 'client CPU', 'resumed'], $rows);
}

/** What the first object and the first acquire of a process cost: certificates are read, and no
 * session is known. */
function tls_new_processes(Bench $bench, array $php, Certificates $certificates): void
{
    $server = new Server($bench->server, $bench->folder, [], $certificates);
    $dsns = ['plain TCP' => "redis://127.0.0.1:$server->port",
        'TLS, a file with one CA' => tls_dsn($server->tlsPort, $certificates->ca)];
    $bundle = $certificates->bundle();
    if ($bundle !== null) {
        $dsns['TLS, a file with all CAs of the system'] = tls_dsn($server->tlsPort, $bundle);
    }
    $times = $rows = [];
    for ($round = 0; $round < $bench->choose(20, 5); $round++) {
        foreach ($dsns as $name => $dsn) {
            $bench->progress('new processes', sprintf('round %d, %s', $round + 1, $name));
            $child = Processes::start([...$php, __DIR__ . '/tls_new_process_worker.php', $dsn]);
            $times[$name][] = json_decode(
                fgets($child['out']) ?: throw new RuntimeException('a worker ended early'), true);
            Processes::end($child['pid'], 0);
        }
    }
    $bench->progressDone();
    foreach ($times as $name => $all) {
        $rows[] = [$name, duration(median(array_column($all, 'made'))),
            duration(median(array_column($all, 'acquired')))];
    }
    $bench->report->table(['a new process, loopback', 'the constructor', 'the first acquire'],
        $rows);
    $server->end();
}

// --- Waiters, and five servers
// -------------------------------------------------------------------------------------------------

/** Two libraries that bursts compare: plain TCP and TLS. */
function tls_burst(Bench $bench, array $php, Certificates $certificates): void
{
    $worker = __DIR__ . '/section_worker.php';
    $libraries = [
        'redislock' => new Library('redislock', 'RedisLock, plain TCP', [],
            [...$php, $worker, 'redislock', '{PORT}', '']),
        'tls' => new Library('tls', 'RedisLock, TLS', [],
            [...$php, $worker, 'tls/redislock', '{TLS_PORT}', $certificates->ca]),
    ];
    foreach ($libraries as $library) {
        $library->startServer($bench->server, $bench->folder, $certificates);
        $library->workers = $library->startWorkers($bench->control, 32);
        warm_up($bench, $library->workers);
    }
    foreach ([8, 32] as $width) {
        $rounds = burst_rounds($bench, $libraries, $width, $bench->choose(30, 6),
            $bench->choose(4, 0.8));
        burst_table($bench, "$width processes", $libraries, $rounds);
    }
    foreach ($libraries as $library) {
        $library->workers->end();
        $library->server->end();
    }
}

function tls_members(Bench $bench, array $php, array $given, Certificates $certificates): void
{
    $worker = __DIR__ . '/redlock_worker.php';
    $sections = __DIR__ . '/section_worker.php';
    $parties = [
        'redislock' => redislock_party($php, 'RedisLock, plain TCP'),
        'tls' => new Party('tls', 'RedisLock, TLS',
            [...$php, $worker, 'redislock_tls', $certificates->ca], false,
            [...$php, $sections, 'redlock/redislock_tls', '{PORTS}', $certificates->ca], true),
        'c' => limit_party($given, 'C on hiredis, plain TCP'),
    ];
    $near = new Members($bench, null, $certificates);
    $far = new Members($bench, [$given['proxy'], (string) DELAY_US], $certificates);
    foreach (['loopback' => $near, '2 ms round trip' => $far] as $way => $members) {
        redlock_warm($bench, $parties, $members, $way);
        redlock_cold($bench, $parties, $members, $way);
    }
    $far->end();
    redlock_burst($bench, $parties, $near);
    $near->end();
}
