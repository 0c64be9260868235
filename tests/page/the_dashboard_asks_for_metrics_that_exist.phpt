--TEST--
Each metric that examples/grafana.json names is one that the endpoint of docs/monitoring.md prints, and no panel lies on another.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
if (!is_file(__DIR__ . '/../../examples/grafana.json')
    || !is_file(__DIR__ . '/../../docs/monitoring.md')) {
    die('skip the package has no docs');
}
?>
--FILE--
<?php
require __DIR__ . '/../inc/check.inc';
require __DIR__ . '/../inc/child.inc';

$page = file_get_contents(__DIR__ . '/../../docs/monitoring.md');
preg_match('~^```php\n<\?php\n(header.*?)^```$~ms', $page, $m);
preg_match_all('~^(redislock_\w+)~m', run_php($m[1]), $m);
$metrics = array_unique($m[1]);
check('metrics', count($metrics) > 30, $metrics);

$text = file_get_contents(__DIR__ . '/../../examples/grafana.json');
$dashboard = json_decode($text, true, 512, JSON_THROW_ON_ERROR);
preg_match_all('~redislock_\w+~', $text, $m);
$named = array_unique($m[0]);
check('names', count($named) > 30, $named);
same('names that are no metric', [], array_values(array_diff($named, $metrics)));

$panels = $dashboard['panels'];
same('numbers of panels', range(1, count($panels)), array_column($panels, 'id'));
$taken = [];
foreach ($panels as $panel) {
    $what = "the panel $panel[title]";
    check("$what: has a description", $panel['description'] !== '');
    check("$what: has questions", $panel['targets'] !== []);
    foreach ($panel['targets'] as $target) {
        same("$what: its source", '${datasource}', $target['datasource']['uid']);
        /* Counters are asked for their rate, never for their value. */
        preg_match_all('~(?:(\w+)\()?redislock_\w+_(?:total|bucket|sum|count)\b~',
            $target['expr'], $m);
        same("$what: rates", [], array_values(array_diff($m[1], ['rate', 'increase'])));
        same("$what: brackets", substr_count($target['expr'], '('),
            substr_count($target['expr'], ')'));
    }
    ['x' => $x, 'y' => $y, 'w' => $w, 'h' => $h] = $panel['gridPos'];
    check("$what: is on the page", $x >= 0 && $x + $w <= 24);
    foreach (range($x, $x + $w - 1) as $column) {
        foreach (range($y, $y + $h - 1) as $line) {
            check("$what: has its place for itself", !isset($taken["$column,$line"]));
            $taken["$column,$line"] = true;
        }
    }
}
same('variables', ['datasource', 'instance'],
    array_column($dashboard['templating']['list'], 'name'));

done();
?>
--EXPECT--
ok
