--TEST--
onLoss runs in shutdown functions, such as the loop of ReactPHP, and in session handlers; it may throw and exit there.
--EXTENSIONS--
redislock
session
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/on_loss.inc';

$server = start_server();

/* The lease is lost when the script ends; each end has its own shutdown function. */
$begin = '
    require $argv[2] . "/on_loss.inc";
    $lock = new RedisLock($argv[1]);
    $other = $lock->lease("other", 60);
    $told = false;
    $limit = slack(10.0); // PHP does not free what a session handler puts into the environment
    $lease = $lock->lease("k", (float) $argv[3],
        onLoss: function () use (&$told) { $told = true; ACTION });
    $loop = function () use (&$told, $limit, $lock, &$lease) {
        BEGIN
        for ($until = now() + $limit; !$told && now() < $until;) { }
        echo $told ? "told\n" : "not told\n";
    };
    $lock->forceRelease("k");
    ';
$run = function (string $action, string $in_loop, string $end) use ($begin, $server): string {
    $code = strtr($begin, ['ACTION' => $action, 'BEGIN' => $in_loop]) . $end;
    $output = run_php($code, [$server->dsn(), dirname(__DIR__) . '/inc', room(0.3)],
        ['display_errors' => 'stdout', 'html_errors' => '0', 'log_errors' => '0']);
    same("$end: keys", [], $server->locks());
    return $output;
};

$shut = 'register_shutdown_function($loop);';
foreach (['' => 'return', ' exit;' => 'exit', ' throw new Exception("mine");' => 'exception'] as
        $end => $what) {
    matches("a shutdown function after $what", '~(^|\n)told\n$~', $run('', '', $shut . $end));
}
matches('verify() in a shutdown function', '~^told by verify\ntold\n$~',
    $run('echo "told by verify\n";', '$lease->verify();', $shut));
matches('extend() in a shutdown function', '~^told by extend\ntold\n$~',
    $run('echo "told by extend\n";', '$lease->extend(60);', $shut));
matches('it throws', '~^caught mine\n$~', $run('throw new Exception("mine");',
    'try { for ($until = now() + $limit; now() < $until;) { } } catch (Exception $e) { exit("caught {$e->getMessage()}\n"); }',
    $shut));
same('it exits', "over\n", $run('exit("over\n");', '', $shut));

/* An output callback. */
matches('an output callback', '~^end, told$~', $run('', '', '
    ob_start(function (string $text) use (&$told, $limit): string {
        for ($until = now() + $limit; !$told && now() < $until;) { }
        return $text . ($told ? ", told" : ", not told");
    });
    echo "end";'));

/* A handler that writes the session when the request is nearly over. */
matches('a session handler', '~written: told$~', $run('', '', '
    final class Saver implements SessionHandlerInterface {
        public function open(string $path, string $name): bool { return true; }
        public function close(): bool { return true; }
        public function read(string $id): string { return ""; }
        public function destroy(string $id): bool { return true; }
        public function gc(int $max_lifetime): int { return 0; }
        public function write(string $id, string $data): bool {
            for ($until = now() + $GLOBALS["limit"]; !$GLOBALS["told"] && now() < $until;) { }
            fputs(STDOUT, "written: " . ($GLOBALS["told"] ? "told" : "not told"));
            return true;
        }
    }
    ini_set("session.use_cookies", "0"); ini_set("session.cache_limiter", "");
    session_set_save_handler(new Saver(), false);
    session_id("x"); session_start(); $_SESSION["a"] = 1;'));

done();
?>
--EXPECT--
ok
