--TEST--
A Fiber that a fatal error has left in a waiter goes on in a session handler at the end of the request.
--EXTENSIONS--
redislock
session
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_under_valgrind(); /* PHP frees nothing after a fatal error */
?>
--INI--
session.use_cookies=0
--FILE--
<?php
final class Handler extends SessionHandler
{
    public ?Fiber $fiber = null;
    function open(string $path, string $name): bool { return true; }
    function close(): bool { return true; }
    function read(string $id): string|false { return ''; }
    function write(string $id, string $data): bool
    {
        /* If the waiter were freed already, its count of references would be in one of them. */
        $texts = [];
        for ($i = 0; $i < 20000; $i++) {
            $texts[] = str_repeat(pack('V', 7), 7 + 4 * ($i % 4));
        }
        $this->fiber->resume();
        foreach ($texts as $text) {
            if (trim($text, "\x07\0") !== '') {
                echo "damaged\n";
            }
        }
        echo $this->fiber->isTerminated() ? "ended\n" : "suspended\n";
        return true;
    }
}

$handler = new Handler;
session_set_save_handler($handler, false);
session_id('abc');
session_start();
$_SESSION['a'] = 1;
$lock = new RedisLock('memory://');
$token = $lock->acquire('k');
RedisLock::waitWith(function () { Fiber::suspend(); });
$handler->fiber = new Fiber(fn () => $lock->acquire('k', wait: 1));
$handler->fiber->start();
eval('final class Handler {}');
?>
--EXPECTF--
Fatal error: Cannot %sclare class Handler%s on line %d
ended
