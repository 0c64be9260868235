<?php
/*
 * A burst: W processes ask for the same lock at the same moment, and each has one section of 1 ms.
 * It lasts from the first one's asking until all had their section.
 *
 * The ideal is the time inside the sections, one after the other with nothing between them; it is
 * measured, for a sleep of 1 ms takes a little more. What a library adds is the gaps: from the end
 * of a section, before the lock is freed, to the start of the next, when the lock is there.
 */

const MILLISECOND = 1_000_000;

function section_burst(Bench $bench): void
{
    $bench->report->section('A burst', 'All start at once; each needs the lock once, for 1 ms.');
    $medians = [];
    foreach ([2, 8, 32] as $width) {
        $rounds = burst_rounds($bench, $bench->libraries, $width, $bench->choose(15, 4),
            $bench->choose(3, 0.6));
        $medians[$width] = burst_table($bench, "$width processes", $bench->libraries, $rounds);
        if ($width === 8) {
            file_put_contents("$bench->folder/timeline.svg",
                timeline($bench->libraries, typical_rounds($rounds)));
        }
    }
    burst_promises($bench, $medians);
}

/** 200 processes; they are started for this alone, for each library in turn. */
function section_crowd(Bench $bench): void
{
    $width = $bench->choose(200, 50);
    $bench->report->section("$width waiters", 'The same burst with a crowd.');
    // Those who poll need seconds for it.
    $libraries = $bench->isQuick
        ? array_intersect_key($bench->libraries, ['redislock' => 0, 'c' => 0])
        : $bench->libraries;
    $rounds = [];
    foreach ($libraries as $name => $library) {
        $bench->progress("crowd of $width", $library->label);
        $workers = $library->startWorkers($bench->control, $width);
        warm_up($bench, $workers);
        $rounds[$name][] = $bench->run($library, $workers, $width, MILLISECOND, 1, 60 * SECOND);
        $workers->end();
    }
    $bench->progressDone();
    burst_table($bench, "$width processes", $libraries, $rounds);
}

/** Has all workers connect and wait, two on a lock, so that nobody's first round is a cold one. */
function warm_up(Bench $bench, Workers $workers): void
{
    $pairs = array_chunk(range(0, $workers->count - 1), 2);
    foreach ($pairs as $pair) {
        $bench->begin($workers, $pair, MILLISECOND, 3, 60 * SECOND);
    }
    foreach ($pairs as $pair) {
        $bench->finish($workers, $pair);
    }
}

/** @return array<string, list<array>> by library: what Bench::run() gave */
function burst_rounds(Bench $bench, array $libraries, int $width, int $count,
    float $secondsEach): array
{
    $rounds = [];
    $bench->takeTurns("burst of $width", $libraries, $count, $secondsEach,
        function (Library $library) use ($bench, $width, &$rounds): void {
            $rounds[$library->name][]
                = $bench->run($library, $library->workers, $width, MILLISECOND, 1, 60 * SECOND);
        });
    return $rounds;
}

/** Writes the table, and gives by library the median ratio, gap and reads. */
function burst_table(Bench $bench, string $title, array $libraries, array $roundsOf): array
{
    $rows = $medians = [];
    foreach ($libraries as $name => $library) {
        $rounds = array_map('burst_figures', $roundsOf[$name]);
        $gaps = array_merge(...array_column($rounds, 'gaps'));
        $medians[$name] = [
            'ratio' => median(array_column($rounds, 'ratio')),
            'gap' => quantile($gaps, 0.5),
            'reads' => median(array_column($rounds, 'reads')),
        ];
        $rows[] = [$library->label, duration(median(array_column($rounds, 'total'))),
            number($medians[$name]['ratio']), duration($medians[$name]['gap']),
            duration(quantile($gaps, 0.99)),
            number($medians[$name]['reads']), failures($rounds), (string) count($rounds)];
    }
    $bench->report->table([$title, 'all done after', 'times ideal', 'gap p50', 'gap p99',
        'reads a section',
        'failures', 'rounds'], $rows);
    return $medians;
}

function burst_figures(array $round): array
{
    $sections = $round['sections'];
    $total = max(array_column($sections, 'end')) - first_asked($sections);
    $gaps = gaps_between($sections);
    return [
        'total' => $total,
        'ratio' => $total / time_inside($sections),
        'gaps' => $gaps,
        'reads' => $round['reads'] / count($sections),
        'gaveUp' => $round['gaveUp'],
        'overlaps' => count(array_filter($gaps, fn ($gap) => $gap < 0)),
    ];
}

/** Waits that ended in vain, and sections that ran at once. Neither may happen, so the report says
 * it wherever it is seen. */
function failures(array $rounds): string
{
    $gaveUp = array_sum(array_column($rounds, 'gaveUp'));
    $overlaps = array_sum(array_column($rounds, 'overlaps'));
    return implode(', ', array_filter([
        $gaveUp > 0 ? "$gaveUp gave up" : '',
        $overlaps > 0 ? "$overlaps AT ONCE" : '',
    ])) ?: '0';
}

/** By library the round whose length is the median. */
function typical_rounds(array $roundsOf): array
{
    return array_map(function (array $rounds): array {
        usort($rounds, fn ($a, $b) => burst_figures($a)['total'] <=> burst_figures($b)['total']);
        return $rounds[intdiv(count($rounds), 2)];
    }, $roundsOf);
}

function burst_promises(Bench $bench, array $medians): void
{
    foreach ([8 => 1.4, 32 => 1.5] as $width => $target) {
        $ratio = $medians[$width]['redislock']['ratio'];
        $bench->report->promise("burst of $width against the ideal", number($ratio), "<= $target",
            $ratio <= $target);
    }
    foreach ([8, 32] as $width) {
        $ratio = $medians[$width]['redislock']['gap'] / $medians[$width]['c']['gap'];
        $bench->report->promise("median gap against the strictest queue in C, burst of $width",
            number($ratio),
            '<= 1.5', $ratio <= 1.5);
    }
    $reads = $medians[32]['redislock']['reads'];
    $bench->report->promise('reads at the server a section, burst of 32', number($reads), '<= 4.2',
        $reads <= 4.2);
}
