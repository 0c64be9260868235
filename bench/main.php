<?php
/*
 * Runs all sections of the bench, one after the other, and writes FOLDER/results.md and
 * FOLDER/timeline.svg. bench/run starts it, with RedisLock loaded, and says where everything is:
 *
 *     php main.php extension=SO pcntl=FLAGS redis=FLAGS|missing queue=PROGRAM cycle=PROGRAM
 *         redlock=PROGRAM proxy=PROGRAM server=PROGRAM packages=FOLDER folder=FOLDER
 *         tls=PROGRAM|missing hiredis=VERSION openssl=VERSION only=SECTIONS quick=yes|no
 *
 * The libraries that are compared: bench/peers, as far as they are there, and C on hiredis. Each
 * library has a private server, and all take turns. In the section about several servers all
 * take turns on the same five.
 */
foreach (['Wire', 'Processes', 'Server', 'Proxy', 'Members', 'Certificates', 'Workers', 'Library',
    'Peer', 'Party', 'Report', 'Bench', 'Cluster', 'Sentinels', 'TopologyParty', 'probes',
    'figures', 'timeline'] as $file) {
    require __DIR__ . "/lib/$file.php";
}
foreach (['cycle', 'lease', 'burst', 'closed_loop', 'fibers', 'memory', 'newcomers', 'promises',
    'redlock', 'tls', 'topologies'] as $file) {
    require __DIR__ . "/$file.php";
}

const SECTIONS = ['cycle', 'lease', 'burst', 'loop', 'crowd', 'fibers', 'redlock', 'tls',
    'topologies', 'newcomers', 'promises'];
const PEERS = [
    'redislock' => ['RedisLock', null],
    'phpredis' => ['phpredis by hand', null],
    'symfony' => ['symfony/lock', 'symfony/lock'],
    'illuminate' => ['illuminate/cache', 'illuminate/cache'],
    'malkusch' => ['malkusch/lock', 'malkusch/lock'],
    'cheprasov' => ['php-redis-lock', 'cheprasov/php-redis-lock'],
];

register_shutdown_function(Processes::endAll(...));
pcntl_async_signals(true);
foreach ([SIGINT, SIGTERM, SIGHUP] as $signal) {
    pcntl_signal($signal, fn () => exit(130));
}
main(array_slice($argv, 1));

function main(array $arguments): void
{
    $given = [];
    foreach ($arguments as $argument) {
        [$name, $value] = explode('=', $argument, 2);
        $given[$name] = $value;
    }
    $only = $given['only'] === '' ? SECTIONS : explode(',', $given['only']);
    array_diff($only, SECTIONS) === [] || exit('sections are ' . implode(', ', SECTIONS) . "\n");

    $php = [PHP_BINARY, '-n', '-d', "extension=$given[extension]",
        ...flags($given['pcntl'])];
    $report = new Report();
    $libraries = find_libraries($php, $given);
    foreach ($libraries as $library) {
        $library->startServer($given['server'], $given['folder']);
    }
    $libraries = array_filter($libraries, works(...));
    $bench = new Bench($libraries, $report, $given['server'], $given['folder'],
        $given['quick'] === 'yes');
    $report->section('Machine and versions');
    $report->table(['', ''], machine($given, $libraries));
    run_sections_of($bench, $only, $php, $given);
    file_put_contents("$given[folder]/results.md", $report->text());
}

function run_sections_of(Bench $bench, array $only, array $php, array $given): void
{
    $wants = fn (string $section): bool => in_array($section, $only, true);
    $promises = $wants('promises')
        ? new Promises($bench, [...$php, __DIR__ . '/promise_worker.php']) : null;
    if ($wants('cycle')) {
        section_cycle($bench, $php, $given);
    }
    if ($wants('lease')) {
        section_lease($bench, $php);
    }
    if ($wants('burst') || $wants('loop')) {
        start_workers($bench, 32);
        $memory = memory_now($bench);
        if ($wants('burst')) {
            section_burst($bench);
        }
        if ($wants('loop')) {
            section_fast_loop($bench);
            $promises?->beginLongWaits();
            section_slow_loops($bench);
        }
        section_memory($bench, $memory);
        foreach ($bench->libraries as $library) {
            $library->workers->end();
        }
    }
    if ($wants('crowd')) {
        section_crowd($bench);
    }
    if ($wants('fibers')) {
        section_fibers($bench, $php, $given);
    }
    if ($wants('redlock')) {
        section_redlock($bench, $php, $given);
    }
    if ($wants('tls')) {
        section_tls($bench, $php, $given);
    }
    if ($wants('topologies')) {
        section_topologies($bench, $php, $given);
    }
    if ($wants('newcomers')) {
        section_newcomers($bench, $php, $given);
    }
    $promises?->check();
    $bench->report->promises();
}

/** The same workers run bursts and loops. */
function start_workers(Bench $bench, int $count): void
{
    foreach ($bench->libraries as $library) {
        $bench->progress("starting $count workers each", $library->label);
        $library->workers = $library->startWorkers($bench->control, $count);
        warm_up($bench, $library->workers);
    }
    $bench->progressDone();
}

/** One cycle shows it; a library may want an extension that this PHP has not. */
function works(Library $library): bool
{
    $child = Processes::start($library->cycleCommand($library->server));
    try {
        return cycle_time($child, 1) > 0;
    } catch (RuntimeException $e) {
        in_array($library->name, ['redislock', 'c'], true) && throw $e;
        fwrite(STDERR, "skipped: $library->label does not work here\n");
        return false;
    } finally {
        Processes::end($child['pid']);
    }
}

/** Those that are there; the others are named. @return array<string, Library> */
function find_libraries(array $php, array $given): array
{
    $libraries = [];
    foreach (PEERS as $name => [$label, $package]) {
        $folder = "$given[packages]/$name";
        $needsRedis = !in_array($name, ['redislock', 'cheprasov'], true);
        $missing = why_missing($folder, $package, $needsRedis, $given);
        if ($missing !== null) {
            fwrite(STDERR, "skipped: $label: $missing\n");
            continue;
        }
        $command = [...$php, ...($needsRedis ? flags($given['redis']) : [])];
        $libraries[$name] = new Library($name, $label,
            [...$command, __DIR__ . '/peer_cycle_worker.php', $name, '{PORT}', $folder],
            [...$command, __DIR__ . '/section_worker.php', $name, '{PORT}', $folder]);
    }
    $libraries['c'] = new Library('c', 'C on hiredis', [$given['cycle'], 'tcp', '{PORT}'],
        [$given['queue'], '{PORT}']);
    return $libraries;
}

function why_missing(string $folder, ?string $package, bool $needsRedis, array $given): ?string
{
    return match (true) {
        $needsRedis && $given['redis'] === 'missing' => 'there is no phpredis (extension=redis)',
        $package !== null && !is_file("$folder/vendor/autoload.php") => 'Composer could not get it',
        default => null,
    };
}

/** Without the name of the host. */
function machine(array $given, array $libraries): array
{
    $cpu = (string) @file_get_contents('/proc/cpuinfo');
    $cores = preg_match_all('/^processor\s*:/m', $cpu);
    $rows = [
        ['cores', $cores > 0 ? (string) $cores : '-'],
        ['processor', preg_match('/^model name\s*: (.*)$/m', $cpu, $found) ? $found[1]
            : php_uname('m')],
        ['kernel', php_uname('s') . ' ' . preg_replace('/-.*/', '', php_uname('r'))],
        ['server', $libraries['c']->server->version()],
        ['PHP', PHP_VERSION],
        ['RedisLock', phpversion('redislock')],
        ['hiredis', $given['hiredis']],
        ['OpenSSL', $given['openssl']],
    ];
    foreach (PEERS + REDLOCK_PEERS + TLS_PEERS as $name => [$label, $package]) {
        if ($package !== null && why_missing("$given[packages]/$name", $package, false, $given)
                === null) {
            $rows[] = [$label, package_version("$given[packages]/$name", $package)];
        }
    }
    if ($given['redis'] !== 'missing') {
        $rows[] = ['phpredis', trim((string) shell_exec(
            escapeshellarg(PHP_BINARY) . " -n $given[redis] -r 'echo phpversion(\"redis\");'"))];
    }
    return $rows;
}

function package_version(string $folder, string $package): string
{
    $installed = (require "$folder/vendor/composer/installed.php")['versions'];
    return $installed[$package]['pretty_version'] ?? $installed[$package]['replaced'][0] ?? '?';
}
