<?php
/*
 * Fibers of one process that share a lock, beside as many processes and beside the mutex that users
 * of an event loop have today.
 */

const FIBERS = 50;

function section_fibers(Bench $bench, array $php, array $given): void
{
    $bench->report->section('Fibers', FIBERS . ' Fibers of one process, which yield to a loop of '
        . 'stream_select() (RedisLock::waitWith()), ' . FIBERS . ' processes, and ' . FIBERS
        . ' Fibers with the mutex of amphp/redis: all want one lock again as soon as they have '
        . 'freed it, with empty sections.');
    $server = new Server($given['server'], $given['folder']);
    $worker = [...$php, __DIR__ . '/fibers_worker.php', $server->socket];
    $amphp = [...$php, __DIR__ . '/fibers_amphp_worker.php', "$given[packages]/amphp",
        (string) $server->port];
    $kinds = [
        'Fibers of one process' => fn () => fibers_rate($bench, [...$worker, FIBERS], 1),
        'processes' => fn () => fibers_rate($bench, [...$worker, 0], FIBERS),
    ];
    $isThere = file_exists("$given[packages]/amphp/vendor/autoload.php");
    if ($isThere) {
        $kinds['Fibers with amphp/redis'] = fn () => fibers_rate($bench, [...$amphp, FIBERS], 1);
    }
    $rates = [];
    for ($round = 0; $round < $bench->choose(5, 2); $round++) {
        $bench->progress('fibers', 'round ' . ($round + 1));
        foreach ($kinds as $who => $rate) {
            $rates[$who][] = $rate();
        }
    }
    $bench->progressDone();
    $rows = [];
    foreach ($rates as $who => $ofRounds) {
        $rows[] = [FIBERS . " $who", number(median($ofRounds))];
    }
    if (!$isThere) {
        $rows[] = [FIBERS . ' Fibers with amphp/redis', 'Composer could not get it'];
    }
    $bench->report->table(['', 'sections/s'], $rows);
}

/** Sections a second of all workers. */
function fibers_rate(Bench $bench, array $command, int $workers): float
{
    $seconds = $bench->choose(3, 1.5);
    $children = [];
    for ($i = 0; $i < $workers; $i++) {
        $children[] = Processes::start([...array_map(strval(...), $command), (string) $seconds]);
    }
    $sections = 0;
    foreach ($children as $child) {
        $sections += (int) fgets($child['out']);
        Processes::end($child['pid'], 0);
    }
    return $sections / ($seconds - 0.5);
}
