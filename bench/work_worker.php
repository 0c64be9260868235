<?php
/*
 * Takes and frees locks in each way that bench/work.php counts, under callgrind. The first rounds
 * of a way are not counted: they dial, load scripts and learn routes. Then come samples of some
 * rounds each, between two marks: usleep() and PING empty the counters of client and server,
 * sys_getloadavg() and LASTSAVE write them to a file.
 *
 * Prints a line for each way: its name, the number of samples, and of rounds in a sample.
 *
 * usage: php work_worker.php PARTNER PID PORT WAY... -- 'WAY=DSN[ DSN...]' ...
 *     PARTNER  the command, in one word for a shell, that holds a lock in turn with this process
 *     PID, PORT  of the server whose work is counted for each WAY before the "--"
 */
foreach (['Wire', 'asleep', 'by_hand'] as $file) {
    require __DIR__ . "/lib/$file.php";
}

const WARM_ROUNDS = 5;
const SAMPLES = 7;
const ROUNDS = 20;
const TTL = 60.0;
/** A server under callgrind is slow, and the machine may be busy. */
const TIMEOUT = 30.0;
const KILL = 9; // SIGKILL; the extension pcntl may be missing

/** One round, and how many are in a sample. What comes before a sample is not counted. */
final class Way
{
    public function __construct(public readonly Closure $round,
        public readonly int $rounds = ROUNDS, public readonly ?Closure $before = null)
    {
    }
}

function way(string $name, array $servers, string $partner, int $pid): Way
{
    if ($name === 'nothing') {
        return new Way(static fn () => null);
    }
    if ($name === 'phpredis') {
        [$redis, $sha] = by_hand($servers[0]);
        return new Way(static function () use ($redis, $sha): void {
            $token = bin2hex(random_bytes(16));
            $redis->set('{work}:by-hand', $token, ['nx', 'px' => (int) (1000 * TTL)]);
            $redis->evalSha($sha, ['{work}:by-hand', $token], 1);
        });
    }
    $lock = new RedisLock(count($servers) === 1 ? $servers[0] : $servers, timeout: TIMEOUT,
        connectTimeout: TIMEOUT);
    $key = "{work}:$name";
    switch ($name) {
        case 'lease':
            return new Way(static fn () => $lock->lease($key, TTL)->release());
        case 'synchronized':
            return new Way(static fn () => $lock->synchronized($key, static fn () => null, TTL));
        case 'extend':
            $token = $lock->acquire($key, TTL);
            return new Way(static fn () => $lock->extend($key, $token, TTL));
        case 'hand-over':
            $other = start_partner("$partner $pid " . escapeshellarg($servers[0]) . ' '
                . escapeshellarg($key));
            $token = $lock->acquire($key, TTL, TTL);
            return new Way(static function () use ($lock, $key, &$token): void {
                $lock->release($key, $token);
                $token = $lock->acquire($key, TTL, TTL);
            }, 1, static fn () => await_asleep($other, $pid));
        default:
            return new Way(static fn () => $lock->release($key, $lock->acquire($key, TTL)));
    }
}

/** Returns the pid of the partner when it has the lock. */
function start_partner(string $command): int
{
    $process = proc_open("exec $command", [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
    fgets($pipes[1]) !== false || throw new RuntimeException('the partner does not start');
    register_shutdown_function(static function () use ($process, $pipes): void {
        proc_terminate($process, KILL);
        fclose($pipes[0]);
    });
    return proc_get_status($process)['pid'];
}

$end = array_search('--', $argv, true);
[, $partner, $pid, $port] = $argv;
$wire = new Wire((int) $port);
$atServer = array_slice($argv, 4, $end - 4);
foreach (array_slice($argv, $end + 1) as $argument) {
    [$name, $servers] = explode('=', $argument, 2);
    $way = way($name, explode(' ', $servers), $partner, (int) $pid);
    ['round' => $round, 'rounds' => $rounds, 'before' => $before] = get_object_vars($way);
    for ($i = 0; $i < WARM_ROUNDS; $i++) {
        $before === null || $before();
        $round();
    }
    for ($sample = 0; $sample < SAMPLES; $sample++) {
        $before === null || $before();
        !in_array($name, $atServer, true) || $wire->ask('PING');
        usleep(0);
        for ($i = 0; $i < $rounds; $i++) {
            $round();
        }
        sys_getloadavg();
        !in_array($name, $atServer, true) || $wire->ask('LASTSAVE');
    }
    printf("%s %d %d\n", $name, SAMPLES, $rounds);
    unset($way, $round, $before);
}
