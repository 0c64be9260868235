--TEST--
No message has a control character, of ASCII or above, or a mark that turns the direction of the text.
--EXTENSIONS--
redislock
--FILE--
<?php
require __DIR__ . '/../inc/check.inc';

/* CSI as one character, the end of a line in three ways, and what reverses the text after it. */
$bad = ["\u{9b}31m", "\u{85}", "\u{2028}", "\u{202e}", "\u{2066}", "\u{61c}", "\u{200f}"];
$ways = [
    'a scheme' => fn (string $bad) => new RedisLock("re{$bad}dis://h"),
    'a host' => fn (string $bad) => new RedisLock("redis://h$bad"),
    'an option' => fn (string $bad) => new RedisLock("redis://h?o$bad=1"),
    'a TLS option' => fn (string $bad) => new RedisLock("rediss://h?ssl[c$bad]=1"),
    'a file' => fn (string $bad) => new RedisLock("rediss://h?ssl[cafile]=/none/$bad"),
    'a folder' => fn (string $bad) => new RedisLock("rediss://h?ssl[capath]=/none/$bad"),
    'a key file' => fn (string $bad) =>
        new RedisLock('rediss://h', tls: ['local_cert' => "/none/$bad"]),
    'a name of $tls' => fn (string $bad) => new RedisLock('rediss://h', tls: ["c$bad" => 1]),
    'a type of $tls' => fn (string $bad) => new RedisLock('rediss://h', tls: ["c$bad" => []]),
    'a socket' => fn (string $bad) => (new RedisLock("unix:///none/$bad"))->isLocked('k'),
    'a master' => fn (string $bad) => (new RedisLock('redis-sentinel://127.0.0.1:1/m'
        . rawurlencode($bad)))->isLocked('k'),
    'a server of several' => fn (string $bad) => (new RedisLock(["unix:///none/1$bad",
        "unix:///none/2$bad", "unix:///none/3$bad"]))->isLocked('k'),
    'a label' => fn (string $bad) => new RedisLock('redis://h', label: "l$bad"),
    'a setting' => fn (string $bad) => ini_set('redislock.servers', "re$bad://h"),
    'a key' => function (string $bad): void {
        $lock = new RedisLock('memory://');
        $lease = $lock->lease("k$bad", 60);
        $lock->synchronized("k$bad", fn () => 1);
    },
    'a lost lease' => function (string $bad): void {
        $lock = new RedisLock('memory://');
        $lease = $lock->lease("k$bad", 60);
        $lock->forceRelease("k$bad");
        $lease->extend(60);
        $lease->assertHeld();
    },
    'a released lease' => fn (string $bad) => (new RedisLock('memory://'))->lease("k$bad", 60) && 1,
    'a slow wait' => function (string $bad): void {
        ini_set('redislock.slow_wait', '0.001');
        $lock = new RedisLock('memory://');
        $token = $lock->acquire("k$bad", 60);
        $second = $lock->acquire("k$bad", 60, wait: 0.02);
    },
];

foreach ($ways as $way => $call) {
    foreach ($bad as $text) {
        $messages = [];
        set_error_handler(function (int $level, string $message) use (&$messages): bool {
            $messages[] = $message;
            return true;
        });
        try {
            $call($text);
        } catch (RedisLockException | ValueError | TypeError $thrown) {
            $messages[] = $thrown->getMessage();
            if ($thrown instanceof RedisLockException) {
                array_push($messages, ...array_values($thrown->getReasons()));
            }
        }
        restore_error_handler();
        $what = "$way with " . rawurlencode($text);
        check("$what: a message", $messages !== []);
        foreach ($messages as $message) {
            check("$what: fit to be shown",
                preg_match('~^[^\p{Cc}\x{61c}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}]+$~uD',
                    $message) === 1, json_encode($message));
        }
    }
}

/* The names of servers, as a dump shows them. */
foreach ($bad as $text) {
    $lock = new RedisLock(["unix:///none/$text", 'rediss-sentinel://h/m' . rawurlencode($text)
        . '?ssl[verify_peer]=0']);
    ob_start();
    var_dump($lock);
    $dump = ob_get_clean();
    check('a dump', !str_contains($dump, $text), json_encode($dump));
    check('a dump has the names', str_contains($dump, rawurlencode($text[0])), $dump);
}

done();
?>
--EXPECT--
ok
