--TEST--
Under FPM a session handler that writes at the end of the request still has the lock.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/fpm.inc';
skip_without_fpm();
if (!extension_loaded("session")) { die("skip no session"); }
?>
--FILE--
<?php
require __DIR__ . '/../inc/fpm.inc';

$server = start_server();
$fpm = start_fpm($server);
$worker = $fpm->normal('first');
$keep =
    ['in a global' => '', 'in a cycle' => '$a = new stdClass; $a->self = $a; $a->lease = $lease;'];
$ends = [
    'return' => ['', '~^$~'],
    'exit' => ['exit;', '~^$~'],
    'an exception' => ['throw new RuntimeException("oh");', '~Uncaught RuntimeException: oh~'],
    'a fatal error' => ['eval("class RedisLock {}");', '~Fatal error: ~'],
    'the memory limit' => ['ini_set("memory_limit", "8M"); str_repeat("a", 16 << 20);',
        '~Allowed memory size~'],
];
foreach ($keep as $how => $keeper) {
    /* At the end of the script, as a shutdown function, or after the destructors, at the end of the
     * request. */
    foreach (['true', 'false'] as $as_function) {
        foreach ($ends as $end => [$code, $logged]) {
            $what = "$how, $as_function, $end";
            $server->cmd('DEL', 'seen');
            $request = $fpm->run('
                class Handler implements SessionHandlerInterface, SessionIdInterface
                {
                    public $token;
                    function open($path, $name): bool { return true; }
                    function close(): bool { return true; }
                    function read($id): string { return ""; }
                    function write($id, $data): bool
                    {
                        $lock = new RedisLock();
                        $is_held = $lock->owner("session") === $this->token;
                        $ignored = $lock->acquire("seen", 30, 0, $is_held ? "held" : "freed");
                        $mine = $lock->lease("taken by the handler");
                        return true;
                    }
                    function create_sid(): string { return bin2hex(random_bytes(16)); }
                    function destroy($id): bool { return true; }
                    function gc($lifetime): int|false { return 0; }
                }
                $handler = new Handler;
                session_set_save_handler($handler, ' . $as_function . ');
                session_start();
                $_SESSION["n"] = 1;
                $lease = (new RedisLock())->lease("session");
                $handler->token = $lease->token();
                ' . $keeper . $code);
            matches("$what: logged", $logged, $request->errors);
            same("$what: when the handler wrote, the lock was", 'held',
                $server->cmd('GET', 'seen'));
            $server->cmd('DEL', 'seen');
            $fpm->normal($what, 'session', $worker);
        }
    }
}

done();
?>
--EXPECT--
ok
