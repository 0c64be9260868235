<?php
/* Arithmetic on what was measured. */

/** In nanoseconds. */
const SECOND = 1_000_000_000;

function median(array $numbers): float
{
    return quantile($numbers, 0.5);
}

/** Between two neighbours, the part of the way that is asked for. */
function quantile(array $numbers, float $part): float
{
    if ($numbers === []) {
        return NAN;
    }
    sort($numbers);
    $place = $part * (count($numbers) - 1);
    $below = (int) $place;
    $above = min($below + 1, count($numbers) - 1);
    return $numbers[$below] + ($place - $below) * ($numbers[$above] - $numbers[$below]);
}

/** Jain's index of fairness: 1 when all have the same, 1/n when one has all. */
function jain(array $numbers): float
{
    $squares = array_sum(array_map(fn ($number) => $number ** 2, $numbers));
    return $squares > 0 ? array_sum($numbers) ** 2 / (count($numbers) * $squares) : NAN;
}

/**
 * What workers answered to "run", as sections in the order of their starts. All times are
 * nanoseconds.
 *
 * @param array<int, array> $answers by worker
 * @return array{gaveUp: int, sections: list<array{worker: int, asked: int, start: int, end: int}>}
 */
function sections_of(array $answers): array
{
    $sections = [];
    $gaveUp = 0;
    foreach ($answers as $worker => $words) {
        $gaveUp += (int) array_shift($words);
        foreach (array_chunk(array_map('intval', $words), 3) as [$asked, $start, $end]) {
            $sections[] = compact('worker', 'asked', 'start', 'end');
        }
    }
    usort($sections, fn ($a, $b) => $a['start'] <=> $b['start']);
    return compact('gaveUp', 'sections');
}

/** The moment from which a burst counts: a process that is told a time wakes a little after it. */
function first_asked(array $sections): int
{
    return min(array_column($sections, 'asked'));
}

/** The time between the end of each section and the start of the next; negative if two ran at
 * once. */
function gaps_between(array $sections): array
{
    $gaps = [];
    for ($i = 1; $i < count($sections); $i++) {
        $gaps[] = $sections[$i]['start'] - $sections[$i - 1]['end'];
    }
    return $gaps;
}

/** The time that was spent inside sections. */
function time_inside(array $sections): int
{
    return array_sum(array_column($sections, 'end')) - array_sum(array_column($sections, 'start'));
}

/** A duration in nanoseconds with a unit that suits it. */
function duration(float $nanoseconds): string
{
    return match (true) {
        is_nan($nanoseconds) => '-',
        abs($nanoseconds) < 9_995 => sprintf('%.2f us', $nanoseconds / 1e3),
        abs($nanoseconds) < 999_500 => sprintf('%.0f us', $nanoseconds / 1e3),
        abs($nanoseconds) < 9_995_000 => sprintf('%.2f ms', $nanoseconds / 1e6),
        abs($nanoseconds) < 999_500_000 => sprintf('%.0f ms', $nanoseconds / 1e6),
        default => sprintf('%.2f s', $nanoseconds / 1e9),
    };
}

/** A number with about three digits. */
function number(float $number): string
{
    $places = abs($number) < 10 ? 2 : (abs($number) < 100 ? 1 : 0);
    return is_nan($number) ? '-' : number_format($number, $places, '.', '');
}
