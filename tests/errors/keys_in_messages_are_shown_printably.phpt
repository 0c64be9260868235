--TEST--
A message shows a key whole, with \x.. for what cannot be printed, and "..." for what is too long.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn(), 'prefix:');
$keys = [
    "a\0b" => 'a\x00b',
    "two\nlines\e[31m" => 'two\x0alines\x1b[31m',
    "schl\u{fc}ssel:\u{1f512}" => "schl\u{fc}ssel:\u{1f512}",
    "\u{9b}31m\u{202e}exe" => '\xc2\x9b31m\xe2\x80\xaeexe',
    "\xff\xc3(" => '\xff\xc3(',
    'App\Job:42' => 'App\Job:42',
    '100 %s %n' => '100 %s %n',
    str_repeat('k', 1000) => str_repeat('k', 100),
    str_repeat("\0", 60000) => str_repeat('\x00', 25),
];
foreach ($keys as $key => $shown) {
    $messages = [];
    $told = function (callable $call) use (&$messages): void {
        try {
            $call();
        } catch (RedisLockException $thrown) {
            $messages[] = $thrown->getMessage();
        }
    };
    $lease = $lock->lease($key, 60);
    $told(fn () => $lock->acquire($key, wait: 1));
    $told(fn () => $lock->synchronized($key, fn () => 1));
    $lease->release();
    $told(fn () => $lease->assertHeld());
    $told(fn () => $lease->detach());
    $told(fn () => $lock->synchronized($key,
        fn () => $server->cmd('DEL', "prefix:$key") && $lock->acquire($key)));
    set_error_handler(function (int $level, string $message) use (&$messages): bool {
        $messages[] = $message;
        return true;
    });
    $server->cmd('FLUSHALL');
    $is_refused = $lock->lease($key, 60) === null; // it drops the lease
    restore_error_handler();
    same("$shown: messages", 6, count($messages));
    foreach ($messages as $message) {
        check("$shown is shown", str_contains($message, "\"$shown"), $message);
        matches("$shown: printable", '~^[^\p{Cc}\x{202e}]+$~uD', $message);
        check("$shown: short", strlen($message) < 400, strlen($message));
        same("$shown: cut", strlen($key) >= 1000, str_contains($message, '..."'));
    }
    $server->cmd('FLUSHALL');
}

done();
?>
--EXPECT--
ok
