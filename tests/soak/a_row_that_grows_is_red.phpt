--TEST--
A figure of the long run is red when it has grown since the beginning, and the picture shows each figure.
--FILE--
<?php
require __DIR__ . '/picture.inc';
require __DIR__ . '/../inc/check.inc';

/** @param callable $value at each second of 100, as far as it is a number */
function verdict_of(?float $more, callable $value): ?string
{
    $row = new Row('panel', 'row', '', $more, 10.0, 10.0);
    for ($at = 1; $at <= 100 && $value($at) !== null; $at++) {
        $row->values[] = [(float) $at, (float) $value($at)];
    }
    return $row->verdict(100.0);
}

same('constant', null, verdict_of(0, fn (int $at): int => 3));
same('the warm-up', null, verdict_of(0, fn (int $at): int => min($at, 10)));
same('one more thread', 'it grew by 1, allowed are 0',
    verdict_of(0, fn (int $at): int => $at <= 90 ? 3 : 4));
same('one more for a moment', null, verdict_of(0, fn (int $at): int => $at < 100 ? 3 : 4));
same('a leak', 'it grew by 810, allowed are 512', verdict_of(512, fn (int $at): int => 10 * $at));
same('what may be more', null, verdict_of(810, fn (int $at): int => 10 * $at));
same('no matter of growth', null, verdict_of(null, fn (int $at): int => $at));
same('no look after the warm-up', 'it has no value after the beginning',
    verdict_of(0, fn (int $at): ?int => $at < 20 ? 3 : null));
same('no look at the end', 'it was not looked at after 89 s',
    verdict_of(0, fn (int $at): ?int => $at < 90 ? 3 : null));

/* Connections may come to their most until the middle, and no later. */
$rows = new Rows(100.0);
for ($at = 1; $at <= 100; $at++) {
    $rows->add('connections', 'late', '', 0, $at, min($at, 50));
    $rows->add('connections', 'later', '', 0, $at, min($at, 51));
    $rows->add('threads', 'late', '', 0, $at, min($at, 50));
}
same('connections that are all there in the middle', null,
    $rows->all['connections: late']->verdict(100.0));
same('connections that grow later', 'it grew by 1, allowed are 0',
    $rows->all['connections: later']->verdict(100.0));
same('threads that grow until then', 'it grew by 17, allowed are 0',
    $rows->all['threads: late']->verdict(100.0));

$rows = new Rows(100.0);
foreach (['a', 'b & c'] as $name) {
    foreach ([0, 50, 100] as $at) {
        $rows->add('memory', $name, 'KiB', 512, $at, 1000 + $at);
        $rows->add('keys', $name, '', null, $at, 0);
    }
}
$svg = picture_of('A <picture>', $rows);
same('lines of the picture', 4, substr_count($svg, '<polyline '));
same('marks left open', [], open_marks($svg));
foreach (['memory, KiB', 'keys', '>b &amp; c<', 'A &lt;picture&gt;'] as $text) {
    check("the picture has $text", str_contains($svg, $text));
}

$table = explode("\n", trim(markdown_table($rows->table())));
same('lines of the table', 2 + 4, count($table));
same('its widths', 1, count(array_unique(array_map(strlen(...), $table))));
matches('a row', '~^\| memory: a, KiB +\| +1,000 \| +1,100 \| +100 \| +512 \| +ok \|$~',
    $table[2]);

/** The elements that are not closed, without an extension that reads XML. */
function open_marks(string $svg): array
{
    $open = [];
    preg_match_all('~<(/?)(\w+)[^<>]*?(/?)>~', $svg, $marks, PREG_SET_ORDER);
    foreach ($marks as [, $closes, $name, $is_alone]) {
        if ($closes !== '') {
            array_pop($open) === $name || check("$name is closed in its turn", false);
        } elseif ($is_alone === '') {
            $open[] = $name;
        }
    }
    return $open;
}

done();
?>
--EXPECT--
ok
