--TEST--
The shell commands of the docs start servers with TLS, a cluster and Sentinels, and take locks there, also by the command redislock, as the pages show it.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/docs.inc';
require __DIR__ . '/../inc/tls.inc';
skip_without_server();
skip_without_openssl_command();
skip_without_tls();
skip_under_valgrind();
skip_by_tls('its servers have certificates of their own');
if (trim((string) shell_exec('command -v redis-cli')) === '') {
    die('skip no redis-cli');
}
?>
--FILE--
<?php
require __DIR__ . '/../inc/docs.inc';
require __DIR__ . '/../inc/tool.inc';

/* A free port whose cluster bus, 10,000 above it, is free, too. */
function port_of_a_node(): int
{
    do {
        $port = free_port();
        $bus = $port + 10000 < 65536
            ? @stream_socket_server('tcp://127.0.0.1:' . $port + 10000) : false;
    } while ($bus === false);
    return $port;
}

/* A server that has a port when its command returns, as when a reader types the next one. */
const SERVER = <<<'SH'
    #!/bin/bash
    SERVER "$@" --pidfile FOLDER/pids/$$ || exit
    [[ "$* $(cat "$1" 2>/dev/null)" =~ port\ ([1-9][0-9]*) ]]
    for try in {1..200}; do
        (: </dev/tcp/127.0.0.1/${BASH_REMATCH[1]}) 2>/dev/null && exit
        sleep 0.05
    done
    SH;

/** The commands of a page, one shell for all, in a folder of their own. */
function start_page(string $page): array
{
    $folder = test_folder();
    mkdir("$folder/bin");
    mkdir("$folder/pids");
    mkdir("$folder/work");
    /* The docs' programs, and a note of each server, for the end of this test. */
    file_put_contents("$folder/bin/php", "#!/bin/sh\nexec " . php_command() . " \"\$@\"\n");
    file_put_contents("$folder/bin/redis-server", str_replace(['SERVER', 'FOLDER'],
        [server_program(), $folder], SERVER));
    file_put_contents("$folder/bin/redislock",
        "#!/bin/sh\nexec " . tool_command([]) . " \"\$@\"\n");
    array_map(fn (string $name) => chmod("$folder/bin/$name", 0755),
        ['php', 'redis-server', 'redislock']);
    register_shutdown_function(function () use ($folder): void {
        foreach (glob("$folder/pids/*") as $file) {
            send_signal((int) file_get_contents($file), SIGKILL);
        }
        exec('rm -rf ' . escapeshellarg($folder));
    });
    $ports = [];
    $script = '';
    foreach (doc_blocks($page) as $block) {
        $script .= $block->isShell() ? "$block->code\n" : '';
    }
    $script = preg_replace_callback('~\b(?:2?6\d\d\d|700\d)\b~', function (array $m) use (&$ports) {
        return $ports[$m[0]] ??= port_of_a_node();
    }, $script);
    file_put_contents("$folder/commands", "set -e; cd $folder/work\n$script");
    $shell = start_php('putenv("PATH=$argv[1]/bin:" . getenv("PATH"));
        passthru("bash $argv[1]/commands 2>&1 </dev/null", $status);
        echo "[status $status]\n";', [$folder]);
    return [$page, $folder, $ports, $shell];
}

$running = array_map(start_page(...),
    ['docs/tls.md', 'docs/tool.md', 'docs/cluster.md', 'docs/sentinel.md']);
foreach ($running as [$page, $folder, $ports, $shell]) {
    $output = $shell->output(60);
    foreach ($ports as $shown => $real) {
        $output = str_replace((string) $real, (string) $shown, $output);
    }
    check("$page: its commands end well", str_contains($output, '[status 0]'),
        substr($output, -500));
    check("$page: PHP warns of nothing",
        !preg_match('~^(PHP )?(Warning|Notice|Deprecated|Fatal error): ~m', $output), $output);
    $before = null;
    $shown = 0;
    foreach (doc_blocks($page) as $block) {
        if ($block->language === 'output' && $before?->isShell()) {
            foreach (explode("\n", trim($block->code)) as $line) {
                $shown++;
                $regex = '~^' . str_replace('…', '.*', preg_quote($line, '~')) . '$~mu';
                check("$page: a line is \"$line\"", preg_match($regex, $output) === 1,
                    substr($output, -500));
            }
        }
        $before = $block;
    }
    check("$page: it shows an output", $shown > 0);
    eventually("$page: its servers have ended", fn () => glob("$folder/pids/*") === []);
}

done();
?>
--EXPECT--
ok
