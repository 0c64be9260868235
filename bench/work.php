<?php
/*
 * The work of a lock: what one round of each way of taking and freeing it costs, counted by
 * callgrind. A count does not depend on how busy the machine is, so a change that makes a lock
 * dearer shows at once, and bench/work.txt holds the counts to compare with.
 *
 *     this process --starts--> the worker, under callgrind         bench/work_worker.php
 *                  --starts--> the server whose work is counted, under callgrind
 *                  --starts--> the other servers: five of a Redlock, a cluster, one with TLS
 *
 * Of each way some samples are counted, and their median counts: what a clock brings, or what goes
 * another way because the machine stands still for a moment, is in few of them. What an empty round
 * costs is taken off, and the server's own clock (serverCron) is left out. The client's threads
 * count, the kernel does not.
 *
 * usage: php work.php MODE extension=SO server=PROGRAM redis=FLAGS|missing tls=yes|no folder=FOLDER
 *            file=FILE where=MACHINE
 *     MODE   print: a table; check: compares the counts with those in FILE; write: writes FILE
 *     where  the versions on which counts depend; FILE names those of its counts
 */
foreach (['Wire', 'Processes', 'Server', 'Certificates', 'Peer', 'Report', 'Bench', 'Cluster',
    'Callgrind', 'figures'] as $file) {
    require __DIR__ . "/lib/$file.php";
}

const EXIT_SKIPPED = 77;
const COLUMNS = ['instructions', 'code lines', 'system calls', 'server instructions'];
const LINES = 1;
/** Counts may differ by this share, because another patch level of PHP or libc was compiled. */
const TOLERANCE = 0.03;
/** How often these wait depends on who is first: a server or another, or a lock or its waiter. */
const TOLERANCES = ['redlock' => 0.15, 'hand-over' => 0.1];
const NOTHING = 'nothing';
const WAYS = [
    NOTHING => 'nothing',
    'acquire' => 'acquire() and release()',
    'lease' => 'lease() and its release()',
    'synchronized' => 'synchronized(), an empty section',
    'extend' => 'extend()',
    'hand-over' => 'release() that wakes, and acquire() that waits',
    'redlock' => 'acquire() and release() on five servers',
    'cluster' => 'acquire() and release() on a cluster',
    'tls' => 'acquire() and release() by TLS',
    'phpredis' => 'phpredis by hand: SET NX PX, EVALSHA',
];
/** The ways on the server whose work is counted. */
const AT_SERVER = [NOTHING, 'acquire', 'lease', 'synchronized', 'extend', 'hand-over', 'phpredis'];
/** A server under callgrind is slow, and its clock must not take the time between two commands. */
const HZ = ['--hz', '1', '--dynamic-hz', 'no'];
/** Of these a round contains that of the partner, who does the same. */
const PAIRED = ['hand-over'];

/** @return list<string> the command under callgrind, which dumps at a mark */
function under_callgrind(string $dump, string $begin, string $end, array $command,
    array $options = []): array
{
    return ['valgrind', '-q', '--tool=callgrind', "--callgrind-out-file=$dump", '--dump-instr=yes',
        '--dump-line=no', '--compress-pos=no', "--zero-before=$begin", "--dump-before=$end",
        ...$options, ...$command];
}

/** @return array<string, string> the DSNs of each way that can be counted here */
function start_servers(array $given, string $socket): array
{
    $plain = fn (array $options = [], ?Certificates $certificates = null): Server
        => new Server($given['server'], $given['folder'], [], $certificates, $options);
    $ways = array_fill_keys(AT_SERVER, "unix://$socket");
    if ($given['redis'] === 'missing') {
        unset($ways['phpredis']);
    } else {
        $ways['phpredis'] = $socket;
    }
    $ways['redlock'] = implode(' ', array_map(fn () => "unix://{$plain()->socket}", range(1, 5)));
    $bench = new Bench([], new Report(), $given['server'], $given['folder'], true);
    $ways['cluster'] = 'redis-cluster://' . implode(',', array_map(
        fn (int $port): string => "127.0.0.1:$port", (new Cluster($bench))->ports()));
    if ($given['tls'] === 'yes') {
        $certificates = new Certificates("$given[folder]/tls");
        $server = $plain([], $certificates);
        $ways['tls'] = tls_dsn($server->tlsPort, $certificates->ca);
    }
    return array_replace(array_intersect_key(WAYS, $ways), $ways);
}

/** Runs the worker.
 * @return array<string, array{int, int}> the ways that were counted, in their order, with the
 * samples of each and the rounds of a sample */
function run_worker(array $given, Server $server, array $ways): array
{
    $php = [PHP_BINARY, '-n', '-d', "extension=$given[extension]"];
    $partner = implode(' ',
        array_map(escapeshellarg(...), [...$php, __DIR__ . '/work_partner.php']));
    $arguments = array_map(fn (string $way, string $servers): string => "$way=$servers",
        array_keys($ways), $ways);
    $command = under_callgrind("$given[folder]/client", 'usleep', 'getloadavg',
        [...$php, ...flags($given['redis']), __DIR__ . '/work_worker.php', $partner,
        (string) $server->pid(), (string) $server->port, ...AT_SERVER, '--', ...$arguments],
        ['--trace-syscalls=yes', "--log-file=$given[folder]/client.log"]);
    $child = Processes::start($command);
    $rounds = [];
    while (($line = fgets($child['out'])) !== false) {
        if (preg_match('/^(\S+) (\d+) (\d+)$/', $line, $match)) {
            $rounds[$match[1]] = [(int) $match[2], (int) $match[3]];
        } else {
            fwrite(STDERR, $line);
        }
    }
    Processes::end($child['pid'], 0);
    // Otherwise a way that fails would be one that nothing is compared with.
    array_keys($rounds) === array_keys($ways)
        || throw new RuntimeException('the worker has ended before it was through all ways');
    return $rounds;
}

/** @return list<int> the system calls of the worker's own thread between each pair of marks. The
 * clock is none: but for valgrind it is read without the kernel. */
function system_calls(string $log): array
{
    $counts = [];
    $count = null;
    foreach (file($log) as $line) {
        if (!preg_match('/^SYSCALL\[\d+,1\]\(\d+\) sys_(.*)/', $line, $match)) {
            continue;
        }
        if (str_starts_with($match[1], 'clock_nanosleep')) {
            $count = 0;
        } elseif ($count !== null && preg_match('/^sysinfo|^open.*loadavg/', $match[1])) {
            $counts[] = $count;
            $count = null;
        } elseif ($count !== null && !preg_match('/^(clock_gettime|time)\b/', $match[1])) {
            $count++;
        }
    }
    return $counts;
}

/** The samples of a way, one after another. */
final class Samples
{
    private int $clients = 0;
    private int $servers = 0;
    /** @var list<int> */
    private readonly array $calls;

    public function __construct(private readonly string $folder)
    {
        $this->calls = system_calls("$folder/client.log");
    }

    /** @return list<list<?int>> the next samples: what COLUMNS name, for all rounds of a sample but
     * for the code lines */
    public function next(int $count, int $rounds, bool $isAtServer): array
    {
        $samples = [];
        while (count($samples) < $count) {
            $calls = $this->calls[$this->clients++];
            $client = new Callgrind("$this->folder/client.$this->clients", $rounds);
            $dump = $isAtServer ? sprintf('%s/server.%d', $this->folder, ++$this->servers) : '';
            // Some servers have no names of functions.
            $server = is_file($dump) ? new Callgrind($dump, $rounds, 'serverCron') : null;
            $samples[] =
                [$client->instructions, $client->codeLines, $calls, $server?->instructions];
        }
        return $samples;
    }
}

/** @return array<string, list<?int>> by way: what COLUMNS name, for one round */
function count_work(array $given): array
{
    $server = new Server(under_callgrind("$given[folder]/server", 'pingCommand', 'lastsaveCommand',
        [$given['server']]), $given['folder'], options: HZ);
    $worked = run_worker($given, $server, start_servers($given, $server->socket));
    $server->end();
    $all = new Samples($given['folder']);
    $nothing = [0, 0, 0, 0];
    $counts = [];
    foreach ($worked as $way => [$samples, $rounds]) {
        $found = $all->next($samples, $rounds, in_array($way, AT_SERVER, true));
        $row = array_map(fn (int $column): ?int => $found[0][$column] === null ? null
            : (int) round(median(array_column($found, $column))), array_keys(COLUMNS));
        if ($way === NOTHING) {
            $nothing = $row;
            continue;
        }
        $shares = [$rounds, 1, $rounds, $rounds * (in_array($way, PAIRED, true) ? 2 : 1)];
        $counts[$way] = array_map(
            fn (?int $all, int $share, int $column): ?int => $all === null || $column === LINES
                ? $all : intdiv($all - $nothing[$column], $share),
            $row, $shares, array_keys(COLUMNS));
    }
    return $counts;
}

// --- The file
// -------------------------------------------------------------------------------------------------

/** A line for each way: its name and its counts. */
function text_of(string $where, array $counts): string
{
    $text = "# What one round of each way costs: " . implode(', ', COLUMNS) . ".\n"
        . "# Written by bench/work --write, compared by bench/work --check.\n# $where\n";
    foreach ($counts as $way => $row) {
        $text .= sprintf("%-12s %s\n", $way,
            vsprintf('%7s %7s %7s %7s', array_map(fn (?int $count) => $count ?? '-', $row)));
    }
    return $text;
}

/** @return ?array<string, list<?int>> null = counts of other versions */
function read_counts(string $file, string $where): ?array
{
    $lines = file($file, FILE_IGNORE_NEW_LINES);
    if (!in_array("# $where", $lines, true)) {
        return null;
    }
    $counts = [];
    foreach (preg_grep('/^#/', $lines, PREG_GREP_INVERT) as $line) {
        [$way, $row] = preg_split('/ +/', $line, 2);
        $counts[$way] = array_map(fn (string $count): ?int => $count === '-' ? null : (int) $count,
            preg_split('/ +/', $row));
    }
    return $counts;
}

/** @return list<string> what differs, each a sentence */
function differences(array $wanted, array $counts): array
{
    $differences = [];
    foreach ($wanted as $way => $row) {
        foreach (array_filter($row, is_int(...)) as $column => $count) {
            $now = $counts[$way][$column] ?? null;
            $tolerance = $count * (TOLERANCES[$way]
                ?? (COLUMNS[$column] === 'system calls' ? 0 : TOLERANCE));
            if ($now === null || abs($now - $count) > $tolerance) {
                $differences[] = sprintf('%s: %s are %s, and were %d', $way, COLUMNS[$column],
                    $now ?? 'not counted', $count);
            }
        }
    }
    return $differences;
}

function print_table(array $counts): void
{
    printf("%-44s %12s %10s %12s %19s\n", '', ...COLUMNS);
    foreach ($counts as $way => $row) {
        vprintf("%-44s %12s %10s %12s %19s\n", [WAYS[$way],
            ...array_map(fn (?int $count): string => (string) ($count ?? '-'), $row)]);
    }
}

/** @return int the exit code */
function check(array $given, array $counts): int
{
    $wanted = read_counts($given['file'], $given['where']);
    if ($wanted === null) {
        echo basename($given['file']), " has no counts for $given[where]\n";
        return EXIT_SKIPPED;
    }
    $differences = differences($wanted, $counts);
    echo implode('', array_map(fn (string $line): string => "$line\n", $differences));
    return $differences === [] ? 0 : 1;
}

register_shutdown_function(Processes::endAll(...));
$given = [];
foreach (array_slice($argv, 2) as $argument) {
    [$name, $value] = explode('=', $argument, 2);
    $given[$name] = $value;
}
$counts = count_work($given);
print_table($counts);
if ($argv[1] === 'write') {
    unset($counts['phpredis']);
    file_put_contents($given['file'], text_of($given['where'], $counts));
}
exit($argv[1] === 'check' ? check($given, $counts) : 0);
