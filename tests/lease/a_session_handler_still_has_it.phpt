--TEST--
A session handler that writes at the end of the request works under the lock, which is freed afterwards.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
if (!extension_loaded('session')) { die('skip no sessions'); }
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$code = '
    final class Handler implements SessionHandlerInterface, SessionIdInterface
    {
        public function __construct(private RedisLock $lock, private string $file) {}
        public ?RedisLockLease $lease = null;
        public function open(string $path, string $name): bool { return true; }
        public function close(): bool { return $this->note("close"); }
        public function read(string $id): string {
            $this->lease = $this->lock->lease("session:$id", 60);
            return "";
        }
        public function write(string $id, string $data): bool { return $this->note("write $data"); }
        public function create_sid(): string { return bin2hex(random_bytes(16)); }
        public function destroy(string $id): bool { return true; }
        public function gc(int $age): int { return 0; }
        private function note(string $what): bool {
            $held = $this->lock->isLocked("session:abc") && $this->lease->isHeld();
            return (bool) file_put_contents($this->file, $what . ($held ? " held\n" : " free\n"),
                FILE_APPEND);
        }
    }
    $handler = new Handler($lock, $argv[2]);
    session_set_save_handler($handler, (bool) $argv[3]);
    if ($argv[4]) { unset($handler); }
    session_id("abc");
    session_start(["use_cookies" => 0, "cache_limiter" => ""]);
    $_SESSION["n"] = 7;
    held("session:abc");
    ' ;
$folder = test_folder();
foreach ([[0, 0], [0, 1], [1, 0], [1, 1]] as [$register, $unset]) {
    foreach (['end' => '', 'exit' => 'exit;', 'exception' => 'throw new LogicException("x");',
            'fatal error' => 'trigger_error("x", E_USER_ERROR);'] as $how => $end) {
        $what = "$how, register $register, unset $unset";
        matches("$what: output", '~^held~', run_php(CHILD_BEGINS . $code . $end,
            [$server->dsn(), "$folder/log", $register, $unset]));
        same("$what: keys", [], $server->keys());
        $log = @file_get_contents("$folder/log");
        check("$what: the handler", $log === "write n|i:7; held\nclose held\n", $log);
        @unlink("$folder/log");
    }
}
rmdir($folder);

done();
?>
--EXPECT--
ok
