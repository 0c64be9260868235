--TEST--
redislock top uses the width of the terminal, cuts keys in their middle, shows Chinese keys as they are, and no control characters.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_by_topology('see tests/cluster and tests/sentinel');
?>
--FILE--
<?php
require __DIR__ . '/../inc/tool.inc';
require __DIR__ . '/../../packages/tools/src/Text.php';

use RedisLock\Tools\Text;

/* --- Width and cut */

foreach (['' => 0, 'abc' => 3, '订单:42' => 7, 'ｆｕｌｌ' => 8, 'ｶﾅ' => 2, '한국' => 4, "e\u{301}" => 1,
    '🔒' => 2, 'Ünïx' => 4] as $text => $width) {
    same("width of \"$text\"", $width, Text::width($text));
}
same('cut', 'shop...:42', Text::cut('shop:a-long-key:42', 10));
same('it fits', 'shop:42', Text::cut('shop:42', 7));
same('wide characters are whole', '订...:42', Text::cut('订单订单订单:42', 9));
same('an accent stays with its letter', "ae\u{301}...yz",
    Text::cut("ae\u{301}bcdefghijklmnopqrstuvwxyz", 7));
same('no room for the dots', 'abc', Text::cut('abcdef', 3));
same('no width at all', '', Text::cut('订单', 1));
same('pad', '订单  ', Text::pad('订单', 6));
for ($width = 0; $width < 30; $width++) {
    foreach (['订单:42:订单:42:订单', 'shop:stock:1234567890', "a订e\u{301}单b订c单d"] as $text) {
        same("pad to $width", $width, Text::width(Text::pad($text, $width)));
    }
}
foreach (["\e[31mred" => '?[31mred', "\x9b" => '?', "\u{9b}" => '?', "a\nb\tc\x7f" => 'a?b?c?',
    "\u{202e}x\u{2066}" => '?x?', "\u{200b}\u{feff}\u{2028}" => '???',
    '订单' => '订单'] as $text => $clean) {
    same('clean ' . bin2hex($text), $clean, str_replace("\u{fffd}", '?', Text::clean($text)));
}

/* --- The table */

$server = start_server();
$dsn = $server->dsn('?timeout=10');     // a slow answer is not the subject
$lock = new RedisLock($dsn, label: 'web-3:8812');
$keys = ['订单:42', "evil\e]0;title\x07\u{202e}", "\xff\xfe", str_repeat('long:', 60) . 'end'];
foreach ($keys as $key) {
    $ignored = $lock->acquire($key, 600);
}

/** The lines of the table in a terminal of so many columns; 0 = into a pipe. */
function table(string $dsn, int $columns): array
{
    $command = tool_command(['top', '--once', '--all']);
    return explode("\n", rtrim((string) shell_exec(($columns > 0 ? "COLUMNS=$columns" : 'COLUMNS=')
        . ' REDISLOCK_DSN=' . escapeshellarg($dsn) . " $command 2>&1")));
}

foreach ([20, 50, 80, 132] as $columns) {
    $lines = table($dsn, $columns);
    same("$columns columns: lines", 7, count($lines));
    foreach ($lines as $line) {
        check("$columns columns: \"$line\" fits", Text::width($line) <= $columns);
        same('nothing for the terminal to obey', Text::clean($line), $line);
    }
    check("$columns columns are used", max(array_map(Text::width(...), $lines)) > $columns - 10,
        $lines);
}
$text = implode("\n", table($dsn, 80));
matches('a Chinese key', '~^订单:42 +web-3:8812 ~m', $text);
matches('a long key is cut in its middle', '~^long:long:.*\.\.\.\S*long:end +web-3:8812 ~m', $text);
foreach ([50, 80] as $columns) {
    $whole = preg_match_all('~  [\d.]+ s +\d+ min \d+ s  0$~m',
        preg_replace('~ +$~m', '', implode("\n", table($dsn, $columns))));
    same("$columns columns: each time left is whole", 4, $whole);
}
matches('a pipe gets all', '~^(long:){60}end  web-3:8812 ~m', implode("\n", table($dsn, 0)));
same('JSON has the keys', '订单:42', json_decode(tool_json($dsn), true)['locks'][2]['key'] ?? null);
check('JSON is ASCII', preg_match('~^[\x20-\x7e]+\n$~D', tool_json($dsn)) === 1);

/* On a terminal, its own size. */
if (str_contains((string) shell_exec('script --version 2>&1'), 'util-linux')) {
    $command = 'stty cols 50 rows 6; ' . tool_command(['top', '--once']);
    $shown = (string) shell_exec('COLUMNS= REDISLOCK_DSN=' . escapeshellarg($dsn)
        . ' script -qec ' . escapeshellarg($command) . ' /dev/null </dev/null');
    $widths = array_map(fn (string $line) => Text::width(rtrim($line)), explode("\n", $shown));
    check('the width of the terminal', max($widths) >= 40 && max($widths) <= 50, $shown);
}

done();

function tool_json(string $dsn): string
{
    return start_tool($dsn, 'top', '--once', '--json', '--all')->output();
}
?>
--EXPECT--
ok
