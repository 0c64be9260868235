--TEST--
Nothing is thrown in a destructor or while the request shuts down: in shutdown functions, output callbacks and session handlers.
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
$lock = new RedisLock($server->dsn());
#[AllowDynamicProperties]
class D
{
    public static array $ended = [];

    public function __construct(private ?Closure $body = null)
    {
    }

    public function __destruct()
    {
        $body = $this->body ?? fn () => compute(0.2);
        self::$ended[] = $body();
    }
}
final class Child extends D
{
}
trait Destroys
{
    public function __destruct()
    {
        D::$ended[] = compute(0.2);
    }
}
final class OfTrait
{
    use Destroys;
}
$destroyed = [
    'unset' => function (): void {
        $object = new D();
        unset($object);
    },
    'the end of a function' => function (): void {
        (function (): void {
            $object = new D();
        })();
    },
    'an inherited destructor' => fn () => [new Child(), 1][1],
    'a destructor of a trait' => fn () => [new OfTrait(), 1][1],
    'functions that it calls' => fn () => [new D(fn () => array_map(fn () => compute(0.2), [1])[0]), 1][1],
    'the collector' => function (): void {
        $object = new D();
        $object->self = $object;
        unset($object);
        gc_collect_cycles();
    },
];
foreach ($destroyed as $what => $body) {
    D::$ended = [];
    $lease = watched_lease($lock);
    $server->cmd('DEL', 'k');
    interrupted($what, function () use ($body): void {
        $body();
        compute(5.0);
    }, 0.5);
    same("$what: the destructor", ['it was not stopped'], D::$ended);
    unset($lease);
}

/* A method of that name that is called by hand is one, too; the constructor is none. */
$lease = watched_lease($lock);
$server->cmd('DEL', 'k');
interrupted('a constructor', fn () => new class {
    public function __construct()
    {
        compute(5.0);
    }
});
unset($lease);

/* The end of the script: all in one process for each way to end. */
$code = '
    require $argv[2] . "/renew.inc";
    function say(string $what): void { echo $what, ": ", compute(0.2), "\n"; }
    final class Last { function __destruct() { say("destructor"); } }
    final class Handler extends SessionHandler
    {
        function open($path, $name): bool { return true; }
        function close(): bool { return true; }
        function read($id): string { return ""; }
        function write($id, $data): bool { say("session"); return true; }
    }
    register_shutdown_function(function () { say("shutdown function"); register_shutdown_function(say(...), "another one"); });
    if (extension_loaded("session")) {
        session_set_save_handler(new Handler(), false);
        session_id("abc");
        session_start(["use_cookies" => 0, "cache_limiter" => ""]);
        $_SESSION["n"] = 1;
    } else {
        register_shutdown_function(say(...), "session");
    }
    $last = new Last();
    ob_start(function (string $text): string { compute(0.2); return $text . "output callback\n"; });
    $lock = new RedisLock($argv[1]);
    $lease = $lock->lease($argv[3], 0.3, interrupt: true);
    $lock->forceRelease($argv[3]);
    function fail(): void { throw new LogicException("mine"); }
    ';
$ends = ['end' => '', 'exit' => 'exit;', 'exception' => 'fail();', 'fatal error' => 'trigger_error("mine", E_USER_ERROR);'];
$children = [];
foreach ($ends as $what => $end) {
    $children[$what] = start_php($code . $end, [$server->dsn(), dirname(__DIR__) . '/inc', $what]);
}
foreach ($children as $what => $child) {
    $output = $child->output();
    check("$what: nothing was thrown", !str_contains($output, 'RedisLockLost'), $output);
    foreach (['shutdown function', 'another one', 'session', ...($what === 'fatal error' || $what === 'exception' ? [] : ['destructor'])] as $where) {
        matches("$what: $where", "~^$where: it was not stopped$~m", $output);
    }
    matches("$what: the output callback", '~^output callback$~m', $output);
}
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
