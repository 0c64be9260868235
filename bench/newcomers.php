<?php
/*
 * Newcomers against waiters, on five servers that are far away. Waiters run in a closed loop, so
 * that there is always somebody who waits; newcomers do not wait, and ask again at once. A release
 * reserves the lock for the waiter that it wakes, for as long as that needs to reach the other
 * servers. When that is too short, newcomers get in between.
 */

const NEWCOMERS_WAITERS = 4;
const NEWCOMERS = 3;
const NEWCOMERS_MOST = 2; // of 100 grants

function section_newcomers(Bench $bench, array $php, array $given): void
{
    $bench->report->section('Newcomers', 'Five servers; ' . NEWCOMERS_WAITERS
        . ' processes that wait, with sections of '
        . '5 ms, and ' . NEWCOMERS . ' that do not wait and ask all the time.');
    $rows = [];
    foreach ([40, 15, 1] as $ms) {
        $bench->progress("newcomers, round trip $ms ms");
        $members = new Members($bench, [$given['proxy'], (string) (500 * $ms)]);
        [$waiters, $newcomers] = newcomers_grants($bench, $php, $members);
        $members->end();
        $share = 100 * $newcomers / max(1, $waiters + $newcomers);
        $rows[] = ["$ms ms", (string) $waiters, (string) $newcomers, sprintf('%.1f', $share)];
        $bench->report->promise("grants to newcomers, of 100, at $ms ms", sprintf('%.1f', $share),
            '<= ' . NEWCOMERS_MOST, $waiters > 0 && $share <= NEWCOMERS_MOST);
    }
    $bench->progressDone();
    $bench->report->table(['round trip', 'grants to waiters', 'to newcomers', 'of 100'], $rows);
}

/** @return array{int, int} */
function newcomers_grants(Bench $bench, array $php, Members $members): array
{
    $workers = [];
    for ($i = 0; $i < NEWCOMERS_WAITERS + NEWCOMERS; $i++) {
        $workers[] =
            Processes::start([...$php, __DIR__ . '/newcomer_worker.php',
                $i < NEWCOMERS_WAITERS ? '20' : '0',
            (string) $bench->choose(20, 8), ...array_map('strval', $members->ports())]);
    }
    $counts = [];
    foreach ($workers as $worker) {
        $counts[] = (int) fgets($worker['out']);
        Processes::end($worker['pid'], 0);
    }
    return [array_sum(array_slice($counts, 0, NEWCOMERS_WAITERS)),
        array_sum(array_slice($counts, NEWCOMERS_WAITERS))];
}
