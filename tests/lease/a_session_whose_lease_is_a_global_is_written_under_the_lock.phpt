--TEST--
A lease in a global variable, which PHP destroys before the session is written, keeps its lock until the session is written.
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
    $folder = $argv[2];
    $lease = $lock->lease("k", 60);
    class Handler extends SessionHandler {
        public $lock;
        public function write(string $id, string $data): bool {
            file_put_contents($GLOBALS["argv"][2] ?? getenv("LOG_FOLDER") . "/log",
                $this->lock->isLocked("k") ? "held" : "free");
            return parent::write($id, $data);
        }
    }
    $handler = new Handler();
    $handler->lock = $lock;
    session_save_path(getenv("LOG_FOLDER"));
    session_set_save_handler($handler, false);
    session_start(["use_cookies" => 0, "cache_limiter" => ""]);
    $_SESSION["n"] = 7;
    held();
    unset($argv);
    ';
$folder = test_folder();
matches('output', '~^held\n$~D',
    run_php(CHILD_BEGINS . $code, [$server->dsn(), "$folder/log"], [], ['LOG_FOLDER' => $folder]));
same('in the handler', 'held', @file_get_contents("$folder/log"));
same('keys', [], $server->keys());
array_map(unlink(...), glob("$folder/*"));
rmdir($folder);

done();
?>
--EXPECT--
ok
