--TEST--
Under FPM the observer and the waiter of a request end with it, even if a session handler sets them last, or a fatal error cuts the end short.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/fpm.inc';
skip_without_fpm();
if (!extension_loaded("session")) { die("skip no session"); }
if (PHP_DEBUG) { die("skip a debug PHP tells of what such a hook refers to"); }
?>
--FILE--
<?php
require __DIR__ . '/../inc/fpm.inc';

$server = start_server();
$fpm = start_fpm($server, ini: ['redislock.memory' => 1, 'session.use_cookies' => 0]);
$worker = $fpm->normal('first');
$hooks = [
    'the observer' => 'RedisLock::onContention(function () { error_log("of another request"); });',
    'the waiter' => 'RedisLock::waitWith(function () {
        error_log("of another request");
        return false;
    });',
];
$handler = 'class Handler extends SessionHandler
    {
        function open(string $path, string $name): bool { return true; }
        function close(): bool { return true; }
        function read(string $id): string|false { return ""; }
        function write(string $id, string $data): bool { HOOKS return true; }
    }
    session_set_save_handler(new Handler, false);
    session_id("abc");
    session_start();
    $_SESSION["a"] = 1;';
$dies = 'class Dies
    {
        function __invoke() { return false; }
        function __destruct() { eval("class Dies {}"); } /* a fatal error */
    }
    ob_start(function (string $text) { RedisLock::waitWith(new Dies); return $text; });
    echo "page";';
/* The memory of the request before is used again, so that a hook of it would be damaged. */
$contended = '$used = [];
    for ($i = 0; $i < 20000; $i++) {
        $used[] = str_repeat("A", 8 + $i % 400);
    }
    $lock = new RedisLock("memory://");
    $token = $lock->acquire("k");
    echo var_export($lock->acquire("k", wait: 0.01), true), $lock->release("k", $token);';
foreach ($hooks as $what => $set) {
    foreach (['the script' => $set, 'a session handler' => str_replace('HOOKS', $set, $handler),
            'the script, and a fatal error at the end' => $set . $dies] as $how => $code) {
        $fpm->run($code);
        $next = $fpm->run($contended);
        same("$what, set by $how: the next request", ['NULL1', ''], [$next->body, $next->errors]);
        $fpm->normal("$what, set by $how", worker: $worker);
    }
}

done();
?>
--EXPECT--
ok
