--TEST--
The tool refuses a command line with a mistake, a password on it, memory://, and a PHP that lacks an extension, before it sends anything.
--EXTENSIONS--
redislock
pcntl
--FILE--
<?php
require __DIR__ . '/../inc/tool.inc';

$nowhere = 'redis://127.0.0.1:1';

/* One process for all command lines, because each of many would take a tenth of a second. */
$all = start_php('
    spl_autoload_register(fn (string $class) => require $_SERVER["argv"][1] . "/src/"
        . substr(strrchr($class, "\\\\"), 1) . ".php");
    while (is_array($words = json_decode((string) fgets(STDIN)))) {
        echo "[" . RedisLock\Tools\Program::main($words) . "]\n";
    }', [__DIR__ . '/../../packages/tools'], env: ['REDISLOCK_DSN' => $nowhere]);
$seen = 0;
$main = function (string ...$words) use ($all, &$seen): string {
    $all->tell(json_encode($words));
    $output = $all->expect("~^(?s:.{{$seen}}.*?)\[\d+\]\n~");
    $text = substr($output, $seen);
    $seen = strlen($output);
    return $text;
};
foreach ([
    [['--help'], 0, '~^usage: redislock run KEY ~'],
    [['-h'], 0, '~^usage: ~'],
    [['run', '--help'], 0, '~^usage: redislock run KEY .*--dsn=DSN~s'],
    [['top', '-h'], 0, '~^usage: redislock top ~'],
    [['show', '--help'], 0, '~^usage: redislock show ~'],
    [['release', '--help'], 0, '~^usage: redislock release ~'],
    [['--version'], 0, '~^redislock \d~'],
    [[], 64, '~subcommand is missing~'],
    [['look'], 64, '~there is no subcommand look~'],
    [['top', '--nothing'], 64, '~there is no option --nothing: redislock top --help~'],
    [['top', '-x'], 64, '~there is no option -x~'],
    [['top', '--prefix'], 64, '~--prefix needs a value~'],
    [['top', '--once=1'], 64, '~--once has no value~'],
    [['top', '--limit=x'], 64, '~--limit needs a number from 1 on, not "x"~'],
    [['top', '--limit=0'], 64, '~--limit needs~'],
    [['top', '--interval=soon'], 64, '~--interval needs a number of seconds~'],
    [['top', 'redis://127.0.0.1'], 64, '~"top" has only options: --prefix=TEXT ~'],
    [['top', '--ttl=3'], 64, '~there is no option --ttl~'],
    [['show'], 64, '~the KEY is missing~'],
    [['show', 'a', 'b'], 64, '~"b" is one word too many~'],
    [['show', '-k'], 64, '~there is no option -k~'],
    [['show', '--', '-k'], 69, '~cannot connect~'],
    [['release', 'k', '--', '--yes'], 64, '~"--yes" is one word too many~'],
    [['show', ''], 64, '~the key must not be empty~'],
    [['show', 'k', '--dsn=http://x'], 64, '~the server must be a valid DSN~'],
    [['release', 'k'], 64, '~no terminal.*--yes~'],
    [['run', 'k', 'true'], 64, '~"true" is one word too many~'],
    [['run', 'k'], 64, '~"--" and the command are missing~'],
    [['run', 'k', '--'], 64, '~the command ~'],
    [['run', '--', 'true'], 64, '~the KEY is missing~'],
    [['run', 'k', '--ttl=-1', '--', 'true'], 64, '~--ttl needs a number of seconds~'],
    [['run', 'k', '--ttl=0', '--', 'true'], 64, '~--ttl must be between~'],
    [['run', 'k', '--ttl=1e3', '--', 'true'], 64, '~--ttl needs~'],
    [['run', 'k', '--max-hold=0', '--', 'true'], 64, '~--max-hold must be more than 0 seconds$~m'],
    [['run', 'k', '--', 'true'], 69, '~cannot connect~'],
    [['show', 'k'], 69, '~cannot connect~'],
    [['release', 'k', '--yes'], 69, '~cannot connect~'],
    [['top', '--once'], 69, '~cannot connect~'],
    [['top'], 69, '~cannot connect: .*\)\n~'],
] as [$words, $code, $regex]) {
    $what = implode(' ', $words);
    $text = $main(...$words);
    matches($what, $regex, $text);
    matches("$what: exit code", "~\[$code\]\n$~", $text);
    check("$what: one line of printable text", $code === 0
        || preg_match('~^redislock: [^\p{C}]+\n\[\d+\]\n$~Du', $text) === 1, $text);
}

/* A password in an option is refused, and not repeated. */
foreach (['redis://:secret@h', 'redis://user:secret@h/1', 'REDIS://u:secret@h', 'unix://:secret@/s',
    'redis-sentinel://a,b/m?sentinel_password=secret',
    'rediss://h?db=1&ssl[passphrase]=secret'] as $dsn) {
    $text = $main('show', 'k', "--dsn=$dsn");
    matches($dsn, '~^redislock: the DSN has a password, .*REDISLOCK_DSN.*\n\[64\]$~', $text);
    check("$dsn: not repeated", !str_contains($text, 'secret'), $text);
}
foreach (['redis://127.0.0.1:1/2?timeout=1', 'unix:///no/such:a@b'] as $dsn) {
    matches("$dsn has no password", '~\[69\]~', $main('show', 'k', "--dsn=$dsn"));
}

foreach (['memory://', 'MEMORY://tests', "memory://a $nowhere"] as $dsns) {
    matches($dsns, '~^redislock: memory:// is inside the process .*\[64\]~s',
        tool($dsns, 'show', 'k'));
}
matches('of the ini setting', '~memory:// is inside~', (string) shell_exec('REDISLOCK_DSN= '
    . tool_command(['show', 'k'], ['redislock.servers' => 'memory://']) . ' 2>&1'));

/* A server that the command line does not name is that of the ini setting, and this is said. */
matches('the origin of the server', '~^redislock: redis://127\.0\.0\.1:1: cannot connect: .*;'
    . ' there is neither --dsn nor REDISLOCK_DSN, so this is the server of redislock\.servers\n69$~',
    (string) shell_exec('REDISLOCK_DSN= ' . tool_command(['show', 'k'],
        ['redislock.servers' => $nowhere]) . ' 2>&1; printf $?'));

/* What a DSN has does not reach the terminal. */
matches('escape sequences', '~^redislock: [\x20-\x7e]+\n\[\d+\]\n$~',
    tool("unix:///none/\u{9b}31m\u{202e}", 'show', 'k'));
matches('of a word', '~^redislock: [\x20-\x7e]+\n\[64\]\n$~', tool($nowhere, "\e]0;x\x07"));

matches('without ext/pcntl', '~^redislock: "run" needs the PHP extension pcntl.*pcntl_fork\n~',
    (string) shell_exec(tool_command(['run', 'k', '--', 'true'],
        ['disable_functions' => 'pcntl_fork']) . ' 2>&1'));
$php = escapeshellarg(getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY);
$tool = escapeshellarg(__DIR__ . '/../../packages/tools/bin/redislock');
matches('without this extension', '~^redislock: .* does not load the extension redislock\n78$~',
    (string) shell_exec("$php -n $tool show k 2>&1; printf $?"));

done();
?>
--EXPECT--
ok
