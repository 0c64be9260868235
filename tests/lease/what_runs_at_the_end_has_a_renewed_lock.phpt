--TEST--
Shutdown functions, destructors and session handlers that run longer than the TTL have the lock all the time.
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
/* In one process for each way to end. Each part sleeps for longer than the TTL, and looks then. */
$code = CHILD_BEGINS . '
    final class Part
    {
        public static RedisLockLease $lease;
        static function takes_long(string $what): void
        {
            usleep((int) (1.1e6 * $_SERVER["argv"][3]));
            echo $what, " ";
            held($_SERVER["argv"][2]);
            echo $what, " (global) ";
            held("global " . $_SERVER["argv"][2]);
        }
        function __construct(private string $name) {}
        function __destruct() { self::takes_long($this->name); }
    }
    final class Handler implements SessionHandlerInterface, SessionIdInterface
    {
        function open(string $path, string $name): bool { return true; }
        function close(): bool { return true; }
        function read(string $id): string { return ""; }
        function write(string $id, string $data): bool { Part::takes_long("session"); return true; }
        function create_sid(): string { return bin2hex(random_bytes(16)); }
        function destroy(string $id): bool { return true; }
        function gc(int $age): int { return 0; }
    }
    register_shutdown_function(fn () => Part::takes_long("shutdown"));
    if (extension_loaded("session")) {
        session_set_save_handler(new Handler(), false);
        session_id("abc");
        session_start(["use_cookies" => 0, "cache_limiter" => ""]);
        $_SESSION["n"] = 1;
    } else {
        register_shutdown_function(fn () => Part::takes_long("session"));
    }
    $last = new Part("destructor");
    $lease = $lock->lease("global $argv[2]", (float) $argv[3]);
    $cycle = new stdClass();
    $cycle->self = $cycle;
    $cycle->lease = $lock->lease($argv[2], (float) $argv[3]);
    $cycle->last = new Part("cycle");
    unset($cycle);
    ';
$ends = ['return' => 'return;', 'exit' => 'exit(0);',
    'exit in try' => 'try { exit(0); } finally { echo "no"; }',
    'exception' => 'throw new LogicException("x");',
    'fatal error' => 'trigger_error("x", E_USER_ERROR);',
    'memory limit' => 'ini_set("memory_limit", "16M"); str_repeat("x", 1 << 26);'];
$ttl = room(0.4);
$children = [];
foreach ($ends as $what => $end) {
    $children[$what] = start_php($code . $end, [$server->dsn(), $what, $ttl]);
}
foreach ($children as $what => $child) {
    $output = $child->output();
    $is_fatal = in_array($what, ['fatal error', 'memory limit'], true);
    foreach (['shutdown', 'session', ...($is_fatal ? [] : ['destructor', 'cycle'])] as $part) {
        matches("$what: $part", "~^$part held\n$part \(global\) held$~m", $output);
    }
    same("$what: key", 0, $server->cmd('EXISTS', $what, "global $what"));
}
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
