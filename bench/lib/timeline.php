<?php
/*
 * The picture: one row for each library, a bar for each section of one burst, on a common axis of
 * time. At its end a row says when all were done, for some need longer than the picture is wide.
 */

/**
 * @param array<string, Library> $libraries
 * @param array<string, array> $rounds by library: what Bench::run() gave
 */
function timeline(array $libraries, array $rounds): string
{
    $left = 190;
    $width = 640;
    $rowHeight = 34;
    $top = 46;
    $bottom = $top + $rowHeight * count($libraries);
    // Three times the room that the limit in C needs, in steps of 5 ms.
    $span = max(1, (int) ceil(3 * timeline_length($rounds['c']) / 5_000_000)) * 5_000_000;
    $x = fn (int $time): float => round($left + $width * $time / $span, 2);

    $svg = timeline_head($left + $width + 130, $bottom + 36);
    foreach (range(0, $span, timeline_step($span)) as $time) {
        $svg .= sprintf('<line class="grid" x1="%1$s" y1="%2$d" x2="%1$s" y2="%3$d"/>', $x($time),
            $top - 6,
                $bottom)
            . sprintf("<text class=\"axis\" x=\"%s\" y=\"%d\">%d ms</text>\n", $x($time),
                $bottom + 18,
                $time / 1_000_000);
    }
    $y = $top;
    foreach ($libraries as $name => $library) {
        $svg .= sprintf("<text class=\"name\" x=\"%d\" y=\"%d\">%s</text>\n", $left - 12, $y + 18,
            htmlspecialchars($library->label));
        $svg .= timeline_row($rounds[$name], $x, $y, $left + $width);
        $y += $rowHeight;
    }
    return $svg . "</svg>\n";
}

function timeline_head(int $width, int $height): string
{
    return <<<SVG
        <svg xmlns="http://www.w3.org/2000/svg" width="$width" height="$height" role="img"
            viewBox="0 0 $width $height">
        <title>A burst of 8 processes, each with one section of 1 ms</title>
        <style>
        text { font: 13px system-ui, sans-serif; fill: #24292f; }
        .name { text-anchor: end; }
        .axis { font-size: 11px; text-anchor: middle; fill: #57606a; }
        .rest { font-size: 11px; fill: #57606a; }
        .grid { stroke: #d0d7de; }
        .bar { fill: #0969da; }
        @media (prefers-color-scheme: dark) {
        text { fill: #e6edf3; }
        .axis, .rest { fill: #9198a1; }
        .grid { stroke: #3d444d; }
        .bar { fill: #4493f8; }
        }
        </style>
        <text x="12" y="22">A burst of 8 processes, each with one section of 1 ms: the sections in
        time</text>

        SVG;
}

function timeline_row(array $round, callable $x, int $y, int $right): string
{
    $svg = '';
    $begin = first_asked($round['sections']);
    foreach ($round['sections'] as $section) {
        $from = $x($section['start'] - $begin);
        $to = min($x($section['end'] - $begin), $right);
        if ($from >= $right) {
            break;
        }
        $svg .= sprintf("<rect class=\"bar\" x=\"%s\" y=\"%d\" width=\"%s\" height=\"22\"/>\n",
            $from, $y + 2,
            round($to - $from, 2));
    }
    return $svg . sprintf("<text class=\"rest\" x=\"%d\" y=\"%d\">done after %s</text>\n",
        $right + 10, $y + 18,
        duration(timeline_length($round)));
}

function timeline_length(array $round): int
{
    return max(array_column($round['sections'], 'end')) - first_asked($round['sections']);
}

/** Five to ten lines. */
function timeline_step(int $span): int
{
    foreach ([1, 2, 5, 10, 20, 50, 100, 200, 500] as $milliseconds) {
        if ($span / ($milliseconds * 1_000_000) <= 10) {
            break;
        }
    }
    return $milliseconds * 1_000_000;
}
