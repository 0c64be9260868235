<?php
/*
 * The processes that the bench has started: each is ended, by its own pid, when the bench ends, in
 * whatever way.
 */

final class Processes
{
    /** @var array<int, resource> by pid: what proc_open() gave */
    private static array $started = [];
    /** @var array<int, int> pids of workers, which are children of what was started */
    private static array $workers = [];

    /** Starts a command with pipes to its standard input and output; gives pid, process and the two
     * pipes. */
    public static function start(array $command): array
    {
        $process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes)
            ?: throw new RuntimeException("cannot start $command[0]");
        $pid = proc_get_status($process)['pid'];
        self::$started[$pid] = $process;
        return ['pid' => $pid, 'process' => $process, 'in' => $pipes[0], 'out' => $pipes[1]];
    }

    public static function addWorker(int $pid): void
    {
        self::$workers[$pid] = $pid;
    }

    /** Waits until a started process has ended; $signal tells it to, 0 when it ends by itself. */
    public static function end(int $pid, int $signal = SIGTERM): void
    {
        if ($signal !== 0) {
            proc_terminate(self::$started[$pid], $signal);
        }
        proc_close(self::$started[$pid]);
        unset(self::$started[$pid]);
    }

    /** For workers that have ended by themselves. */
    public static function forgetWorkers(array $pids): void
    {
        self::$workers = array_diff_key(self::$workers, array_flip($pids));
    }

    public static function killWorker(int $pid): void
    {
        self::forgetWorkers([$pid]);
        exec("kill -KILL $pid 2>&1");
    }

    public static function endAll(): void
    {
        if (self::$workers !== []) {
            exec('kill -KILL ' . implode(' ', self::$workers) . ' 2>&1');
        }
        foreach (array_keys(self::$started) as $pid) {
            self::end($pid, SIGKILL);
        }
    }

    /** Resident memory of a process in KiB, or null where the system does not tell. */
    public static function memory(int $pid): ?int
    {
        $status = @file_get_contents("/proc/$pid/status");
        return $status !== false && preg_match('/^VmRSS:\s+(\d+) kB/m', $status, $found)
            ? (int) $found[1] : null;
    }

    /** Nanoseconds for which a process has run on a processor, without its other threads, or null
     * where the system does not tell. Behind taskset the process is the command itself. */
    public static function cpu(int $pid): ?int
    {
        $times = @file_get_contents("/proc/$pid/schedstat");
        return $times !== false && preg_match('/^([1-9]\d*) /', $times, $found)
            ? (int) $found[1] : null;
    }
}

/** @return list<string> the arguments of PHP, as one word of a command line has them; "missing" has
 * none */
function flags(string $words): array
{
    return $words === '' || $words === 'missing' ? [] : explode(' ', $words);
}
