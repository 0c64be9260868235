<?php
/*
 * A closed loop: W processes want the lock again as soon as they have freed it. How many sections a
 * second there are, how evenly they fall to the processes, and how long one of them had to wait at
 * worst.
 *
 * Sections of 1 ms run library by library, in turns. The loops of 100 ms and 1 s last longer and
 * leave the machine idle, so all libraries run theirs at the same time, each on its own server.
 */

function section_fast_loop(Bench $bench): void
{
    $bench->report->section('A closed loop', 'Who has freed the lock asks for it again at once.');
    $rounds = [];
    $duration = (int) ($bench->choose(1.5, 0.8) * SECOND);
    $bench->takeTurns('closed loop, 32 with 1 ms', $bench->libraries, $bench->choose(3, 1), INF,
        function (Library $library) use ($bench, $duration, &$rounds): void {
            $result = $bench->run($library, $library->workers, 32, MILLISECOND, PHP_INT_MAX,
                $duration);
            $rounds[$library->name][] = loop_figures($result, range(0, 31), $duration);
        });
    loop_table($bench, '32 processes, 1 ms', $rounds, 32);
}

/** 16 workers with 100 ms, and the next 4 with 1 s. */
function section_slow_loops(Bench $bench): void
{
    $loops = [
        '16 processes, 100 ms' => slow_loop(range(0, 15), 100 * MILLISECOND, $bench->choose(6, 3)),
        '4 processes, 1 s' => slow_loop(range(16, 19), SECOND, $bench->choose(3, 2)),
    ];
    $bench->progress('closed loops, 16 with 100 ms and 4 with 1 s');
    $starts = $rounds = [];
    foreach ($loops as $title => [$numbers, $length, $duration]) {
        foreach ($bench->libraries as $name => $library) {
            $starts[$title][$name] = $bench->begin($library->workers, $numbers, $length,
                PHP_INT_MAX, $duration);
        }
    }
    foreach ($loops as $title => [$numbers, , $duration]) {
        foreach ($bench->libraries as $name => $library) {
            $result = ['start' => $starts[$title][$name]]
                + $bench->finish($library->workers, $numbers);
            $rounds[$title][$name][] = loop_figures($result, $numbers, $duration);
        }
    }
    $bench->progressDone();
    foreach ($loops as $title => [$numbers]) {
        loop_table($bench, $title, $rounds[$title], count($numbers));
    }
}

/** Workers, length and duration of a loop that ends amid the last section if each worker has $each
 * of them. */
function slow_loop(array $numbers, int $length, int $each): array
{
    return [$numbers, $length, (int) (($each * count($numbers) - 0.5) * $length * 1.003)];
}

/** Sections count that began in time; a wait counts however long it lasted. */
function loop_figures(array $result, array $numbers, int $duration): array
{
    $inTime = array_filter($result['sections'],
        fn ($section) => $section['start'] < $result['start'] + $duration);
    $had = array_fill_keys($numbers, 0);
    foreach ($inTime as $section) {
        $had[$section['worker']]++;
    }
    $gaps = gaps_between($result['sections']);
    $longest =
        max(array_map(fn ($section) => $section['start'] - $section['asked'], $result['sections']));
    $length = time_inside($result['sections']) / count($result['sections']);
    return [
        'rate' => count($inTime) / $duration * SECOND,
        'jain' => jain($had),
        'longest' => $longest,
        'inSections' => $longest / (count($numbers) * $length),
        'gap' => median($gaps),
        'reads' => isset($result['reads']) ? $result['reads'] / count($result['sections']) : NAN,
        'gaveUp' => $result['gaveUp'],
        'overlaps' => count(array_filter($gaps, fn ($gap) => $gap < 0)),
    ];
}

/** Medians of the rounds. */
function loop_table(Bench $bench, string $title, array $roundsOf, int $width): void
{
    $rows = [];
    foreach ($bench->libraries as $name => $library) {
        $rounds = $roundsOf[$name];
        $figure = fn (string $which): float => median(array_column($rounds, $which));
        $rows[] = [$library->label, number($figure('rate')), sprintf('%.3f', $figure('jain')),
            duration($figure('longest')), number($figure('inSections')), duration($figure('gap')),
            number($figure('reads')), failures($rounds)];
        if ($name === 'redislock') {
            $bench->report->promise("Jain index, $title", sprintf('%.3f', $figure('jain')),
                '>= 0.98',
                $figure('jain') >= 0.98);
            $bench->report->promise("longest wait against $width sections, $title",
                number($figure('inSections')),
                '<= 1.5', $figure('inSections') <= 1.5);
        }
    }
    $bench->report->table([$title, 'sections/s', 'Jain', 'longest wait', "times $width sections",
        'gap p50',
        'reads a section', 'failures'], $rows);
}
