--TEST--
A lease that is dropped by the statement that took it causes a warning, and no other lease does: without opcache, without JIT and with either JIT.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';

$server = start_server();
$forms = require __DIR__ . '/../inc/lease_forms.inc';
check('forms', count($forms['careless']) >= 40 && count($forms['correct']) >= 40);
$file = "$server->folder/forms.inc";
$code = "<?php\n\$compiled = [];\n";
foreach ($forms as $kind => $all) {
    foreach ($all as $what => $body) {
        $code .= '$compiled[' . var_export($kind, true) . '][' . var_export($what, true)
            . "] = function (\$l) { $body };\n";
    }
}
file_put_contents($file, $code . 'require '
    . var_export(dirname(__DIR__) . '/inc/lease_forms_run.inc', true) . ";\n");

$runs = ['plain' => ['opcache.enable_cli' => 0]];
$on = ini_of_extension('opcache', 'zend_extension');
if ($on !== null) {
    $on += ['opcache.enable_cli' => 1, 'opcache.file_update_protection' => 0,
        'opcache.jit_buffer_size' => '32M'];
    $hot =
        array_fill_keys(['opcache.jit_hot_func', 'opcache.jit_hot_loop', 'opcache.jit_hot_return',
            'opcache.jit_hot_side_exit'], 2);
    $runs['opcache'] = ['opcache.jit' => 'off'] + $on;
    if (!under_valgrind()) {
        $runs['tracing'] = ['opcache.jit' => 'tracing'] + $hot + $on;
        $runs['function'] = ['opcache.jit' => 'function'] + $on;
    }
}
foreach ($runs as $name => $ini) {
    $child = new PhpChild(php_command($ini) . " -f $file -- " . escapeshellarg($server->dsn()), []);
    same($name, (count($forms['careless']) + count($forms['correct'])) . " forms\n",
        $child->output(slack(60.0)));
    same("$name: status", 0, $child->status());
}

/* Without a handler it is a warning of PHP, at the line of the statement. */
$output = run_php("\n" . '$lock = new RedisLock($argv[1], "p:");
    if ($lock->lease("a\"b")) { echo "work\n"; }', [$server->dsn()],
    ['display_errors' => '1', 'html_errors' => '0']);
matches('the warning',
    '~Warning: the lock "a"b" is released by the statement that took it, and protects nothing: keep the RedisLockLease in a variable in .* on line \d+\nwork\n~',
    $output);

/* A handler that throws ends the statement. */
$lock = new RedisLock($server->dsn());
set_error_handler(fn (int $level, string $text) => throw new ErrorException($text));
throws('an exception', 'ErrorException', '~^the lock "k" is released~',
        function () use ($lock): void {
    if ($lock->lease('k')) {
        check('not here', false);
    }
});
restore_error_handler();
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
