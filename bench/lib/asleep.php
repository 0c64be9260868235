<?php
/* Whether a process waits for something, as the kernel tells. */

/** So often in a row all must be found asleep, so long after one another. */
const ASLEEP_LOOKS = 4;
const ASLEEP_PAUSE_US = 10_000;

/** Returns when the first threads of all these processes sleep. */
function await_asleep(int ...$pids): void
{
    for ($looks = 0; $looks < ASLEEP_LOOKS; $looks++) {
        usleep(ASLEEP_PAUSE_US);
        foreach ($pids as $pid) {
            if (state_and_parent($pid)[0] !== 'S') {
                $looks = -1;
            }
        }
    }
}

/** @return array{string, int} "R" = runs or wants to, "S" = sleeps; and the pid of its parent */
function state_and_parent(int|string $pid): array
{
    // The name of the program is in parentheses, and may contain any others.
    preg_match('/.*\) (\S) (\d+) /', file_get_contents("/proc/$pid/stat"), $match);
    return [$match[1], (int) $match[2]];
}
