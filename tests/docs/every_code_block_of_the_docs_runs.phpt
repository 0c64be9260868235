--TEST--
Every code block of the README and the docs runs without a warning and prints what the page shows; blocks that cannot run are marked by their language.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/docs.inc';
require __DIR__ . '/../inc/tls.inc';
skip_without_server();
skip_without_openssl_command();
skip_by_tls('it starts its own servers');
if (!extension_has_tls()) {
    die('skip redislock was built without TLS');
}
?>
--FILE--
<?php
require __DIR__ . '/../inc/docs.inc';

/* Blocks that do not run, but can be checked. */
function check_form(DocBlock $block): void
{
    match ($block->language) {
        'json' => check($block->where() . ': it is JSON', json_decode($block->code) !== null),
        'ini' => check_ini($block),
        'sh' => same($block->where() . ': sh -n', null,
            shell_exec('printf %s ' . escapeshellarg($block->code) . ' | bash -n 2>&1')),
        default => check($block->where() . ': its language',
            in_array($block->language, PASSIVE, true), $block->language),
    };
}

function check_ini(DocBlock $block): void
{
    $settings = parse_ini_string($block->code, false, INI_SCANNER_RAW);
    check($block->where() . ': it is an ini file', $settings !== false);
    foreach (array_keys($settings ?: []) as $name) {
        check($block->where() . ": $name exists",
            !str_starts_with($name, 'redislock.') || ini_get($name) !== false);
    }
}

$runner = new DocRunner();
$runs = [];
foreach (array_keys(doc_pages()) as $page) {
    $runner->begin();
    $last = null;
    foreach (doc_blocks($page) as $block) {
        if ($block->isRun()) {
            $runs[] = [$last = $block, $runner->run($block)];
        } elseif ($block->isShell()) {
            $last = $block; // the_shell_blocks_of_the_docs_run.phpt
        } elseif ($block->language === 'output') {
            if (check($block->where() . ': a block has printed it', $last !== null)) {
                $last->output = $block->code;
            }
            $last = null;
        } else {
            check_form($block);
        }
    }
}
$runner->begin();
foreach ($runs as [$block, $printed]) {
    $shown = trim($block->output);
    check($block->where() . ": it prints \"$shown\"", is_shown($shown, $printed), $printed);
}
check('blocks', count($runs) > 20, count($runs));

done();
?>
--EXPECT--
ok
