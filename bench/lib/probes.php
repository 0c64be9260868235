<?php
/* What a worker asks of the system, and how far away a server is. */

/**
 * Shows the system calls of a command on a warm connection. A second run with more cycles shows
 * what one cycle adds.
 *
 * @param array<string, array{string, list<string>}> $workers label and command, by name
 * @return ?array<string, float> by name; null = strace does not work here
 */
function system_calls(Bench $bench, string $where, array $workers): ?array
{
    $few = 200;
    $many = 1200;
    $rows = $all = [];
    foreach ($workers as $name => [$label, $command]) {
        $bench->progress("system calls, $where", $label);
        $before = traced_calls($bench, $command, $few);
        $after = traced_calls($bench, $command, $many);
        if ($before === null || $after === null) {
            fwrite(STDERR, "skipped: system calls, $where: strace does not work here\n");
            return null;
        }
        $each = [];
        foreach ($after as $call => $count) {
            $each[$call] = ($count - ($before[$call] ?? 0)) / (2 * ($many - $few));
        }
        $each = array_filter($each, fn (float $count) => $count >= 0.005);
        arsort($each);
        $names = array_map(fn (string $call, float $count) => number($count) . " $call",
            array_keys($each), $each);
        $all[$name] = array_sum($each);
        $rows[] = [$label, number($all[$name]), implode(', ', $names)];
    }
    $bench->progressDone();
    $bench->report->table(["a command, warm, $where", 'system calls', 'which'], $rows);
    return $all;
}

/** @return ?array<string, int> how often a worker called the system, by the name of the call */
function traced_calls(Bench $bench, array $command, int $cycles): ?array
{
    $file = "$bench->folder/strace";
    @unlink($file);
    $child = @proc_open(['strace', '-f', '-c', '-U', 'calls,name', '-o', $file, ...$command],
        [['pipe', 'r'], ['pipe', 'w'], ['file', '/dev/null', 'w']], $pipes);
    if ($child === false) {
        return null;
    }
    fwrite($pipes[0], "$cycles\n");
    fgets($pipes[1]);
    fclose($pipes[0]);
    proc_close($child);
    $counts = [];
    foreach (@file($file) ?: [] as $line) {
        if (preg_match('/^\s*(\d+) (\w+)$/', rtrim($line), $found) && $found[2] !== 'total') {
            $counts[$found[2]] = (int) $found[1];
        }
    }
    return $counts === [] ? null : $counts;
}

/** What a PING takes, in nanoseconds. */
function ping_time(int $port): float
{
    $wire = new Wire($port);
    $times = [];
    for ($i = 0; $i < 20; $i++) {
        $start = hrtime(true);
        $wire->ask('PING');
        $times[] = hrtime(true) - $start;
    }
    return median($times);
}
