<?php
/*
 * Fibers of one process that share a lock, beside as many processes: what an event loop costs.
 */

const FIBERS = 50;

function section_fibers(Bench $bench, array $php, array $given): void
{
    $bench->report->section('Fibers', FIBERS . ' Fibers of one process, which yield to a loop of '
        . 'stream_select() (RedisLock::waitWith()), and ' . FIBERS . ' processes: all want one '
        . 'lock again as soon as they have freed it, with empty sections.');
    $server = new Server($given['server'], $given['folder']);
    $rates = ['Fibers of one process' => [], 'processes' => []];
    for ($round = 0; $round < $bench->choose(5, 2); $round++) {
        $bench->progress('fibers', 'round ' . ($round + 1));
        $rates['Fibers of one process'][] = fibers_rate($bench, $php, $server, FIBERS, 1);
        $rates['processes'][] = fibers_rate($bench, $php, $server, 0, FIBERS);
    }
    $bench->progressDone();
    $rows = [];
    foreach ($rates as $who => $ofRounds) {
        $rows[] = [FIBERS . " $who", number(median($ofRounds))];
    }
    $bench->report->table(['', 'sections/s'], $rows);
}

/** Sections a second of all workers. */
function fibers_rate(Bench $bench, array $php, Server $server, int $fibers, int $workers): float
{
    $seconds = $bench->choose(3, 1.5);
    $children = [];
    for ($i = 0; $i < $workers; $i++) {
        $children[] = Processes::start([...$php, __DIR__ . '/fibers_worker.php', $server->socket,
            (string) $fibers, (string) $seconds]);
    }
    $sections = 0;
    foreach ($children as $child) {
        $sections += (int) fgets($child['out']);
        Processes::end($child['pid'], 0);
    }
    return $sections / ($seconds - 0.5);
}
