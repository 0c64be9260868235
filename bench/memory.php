<?php
/*
 * Memory: what the sections so far have added to the workers, between their warm-up and now.
 * Sections of other files do the work; this one looks before and after.
 */

/** @return array<string, list<?int>> by library the resident memory of each worker, in KiB */
function memory_now(Bench $bench): array
{
    return array_map(fn (Library $library) => array_map(Processes::memory(...),
        $library->workers->pids),
        $bench->libraries);
}

function section_memory(Bench $bench, array $before): void
{
    $now = memory_now($bench);
    if ($now['redislock'][0] === null) {
        return; // no /proc here
    }
    $bench->report->section('Memory',
        'Resident memory of the 32 workers, KiB, after all sections above.');
    $rows = [];
    foreach ($bench->libraries as $name => $library) {
        $growth = array_map(fn ($old, $new) => $new - $old, $before[$name], $now[$name]);
        $rows[] = [$library->label, sprintf('%.0f', median($before[$name])),
            sprintf('%.0f', median($growth)),
            (string) max($growth)];
    }
    $bench->report->table(['', 'a worker, at first', 'more since, median',
        'more since, most'], $rows);
}
