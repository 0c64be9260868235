<?php
/* Whether a process waits for something, as the kernel tells. */

/** So often in a row all must be found asleep, so long after one another, within so many looks. */
const ASLEEP_LOOKS = 4;
const ASLEEP_PAUSE_US = 10_000;
const ASLEEP_LOOKS_MAX = 6000;

/** Returns when the first threads of all these processes sleep. */
function await_asleep(int ...$pids): void
{
    $inARow = 0;
    for ($looks = 0; $inARow < ASLEEP_LOOKS; $looks++) {
        $looks < ASLEEP_LOOKS_MAX || throw new RuntimeException('the processes do not sleep');
        usleep(ASLEEP_PAUSE_US);
        $states = array_map(fn (int $pid): string => state_and_parent($pid)[0], $pids);
        $inARow = array_unique($states) === ['S'] ? $inARow + 1 : 0;
    }
}

/** @return array{string, int} "R" = runs or wants to, "S" = sleeps; and the pid of its parent */
function state_and_parent(int|string $pid): array
{
    // The name of the program is in parentheses, and may contain any others. Z = it has ended.
    $stat = (string) @file_get_contents("/proc/$pid/stat");
    return preg_match('/.*\) ([^Z]) (\d+) /', $stat, $match) === 1 ? [$match[1], (int) $match[2]]
        : throw new RuntimeException("the process $pid has ended");
}
