--TEST--
Under FPM code that runs at the end of a request for longer than the TTL has the lock all the time.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/fpm.inc';
skip_without_fpm();
?>
--FILE--
<?php
require __DIR__ . '/../inc/fpm.inc';

$server = start_server();
$fpm = start_fpm($server, [], ['pm.max_children' => 4]);
$ends = ['return' => '', 'exit' => 'exit;', 'an exception' => 'throw new RuntimeException("oh");',
    'a fatal error' => 'eval("class RedisLock {}");'];
$requests = [];
foreach ($ends as $what => $end) {
    $requests[$what] = $fpm->start('
        final class Notes
        {
            public static $token;
            static function take(string $what): void
            {
                usleep((int) ($_GET["ttl"] * 1.1e6)); // longer than the TTL
                $lock = new RedisLock();
                $ignored = $lock->acquire($_GET["key"] . ":$what", 60, 0,
                    $lock->owner($_GET["key"]) === self::$token ? "held" : "freed");
            }
        }
        final class Handler implements SessionHandlerInterface, SessionIdInterface
        {
            function open($path, $name): bool { return true; }
            function close(): bool { return true; }
            function read($id): string { return ""; }
            function write($id, $data): bool { Notes::take("session"); return true; }
            function create_sid(): string { return bin2hex(random_bytes(16)); }
            function destroy($id): bool { return true; }
            function gc($lifetime): int|false { return 0; }
        }
        final class Last { function __destruct() { Notes::take("destructor"); } }
        register_shutdown_function(fn () => Notes::take("shutdown"));
        if (extension_loaded("session")) {
            session_set_save_handler(new Handler, false);
            session_start(["use_cookies" => 0, "cache_limiter" => ""]);
            $_SESSION["n"] = 1;
        } else {
            register_shutdown_function(fn () => Notes::take("session"));
        }
        $last = new Last;
        $lease = (new RedisLock())->lease($_GET["key"], (float) $_GET["ttl"]);
        Notes::$token = $lease->token();
        ' . $end, ['key' => $what, 'ttl' => room(0.5)]);
}
foreach ($requests as $what => $request) {
    $request->finish();
    foreach (['shutdown', 'session', 'destructor'] as $where) {
        /* After a fatal error there are no destructors. */
        $expected = $where === 'destructor' && $what === 'a fatal error' ? null : 'held';
        same("$what, $where", $expected, $server->cmd('GET', "$what:$where"));
    }
    eventually("$what: it is freed", fn () => $server->cmd('EXISTS', $what) === 0, 0.4);
}

done();
?>
--EXPECT--
ok
