--TEST--
Under FPM a lease is freed however the script ends, and the worker serves the next request.
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

$endings = [
    'return' => ['return;', '~^$~'],
    'the end of the file' => ['', '~^$~'],
    'exit' => ['exit("bye");', '~^$~'],
    'exit in a function' => ['(function ($lease) { exit(3); })($lease);', '~^$~'],
    'exit in a section' => ['$lock->synchronized("section", fn () => exit(3));', '~^$~'],
    'exit in try' => ['try { exit(3); } finally { echo "no"; }', '~^$~'],
    'exit in a shutdown function' => ['register_shutdown_function(fn () => exit(3)); return;',
        '~^$~'],
    'exit in a destructor' =>
        ['class D { function __destruct() { exit(3); } } $d = new D; unset($d);', '~^$~'],
    'an uncaught exception' => ['throw new RuntimeException("oh");',
        '~Uncaught RuntimeException: oh~'],
    'an uncaught exception with the lease in its trace'
        => ['(function ($lease) { throw new RuntimeException("oh"); })($lease);',
            '~Uncaught RuntimeException: oh~'],
    'an uncaught exception in a section'
        => ['$lock->synchronized("section", fn () => throw new RuntimeException("oh"));',
            '~Uncaught RuntimeException: oh~'],
    'an exception in a shutdown function'
        => ['register_shutdown_function(fn () => throw new RuntimeException("oh")); return;',
            '~Uncaught RuntimeException: oh~'],
    'an exception in a destructor at the end'
        => [
            'class D { function __destruct() { throw new RuntimeException("oh"); } } $d = new D; return;',
            '~Uncaught RuntimeException: oh~'],
    'a TypeError' => ['strlen([]);', '~Uncaught TypeError~'],
    'a fatal error' => ['function f(): int { return 1; } eval("function f() {}");',
        '~Fatal error:  Cannot redeclare~'],
    'a fatal error in a function' =>
        ['(function ($lease) { eval("class RedisLock {}"); })($lease);', '~Fatal error: ~'],
    'a fatal error in a section'
        => ['$lock->synchronized("section", fn () => eval("class RedisLock {}"));',
            '~Fatal error: ~'],
    'an error by E_USER_ERROR' => ['trigger_error("oh", E_USER_ERROR);', '~Fatal error:  oh~'],
    'a fatal error when modules end the request' => ['class Dies {
            function __invoke() { return false; }
            function __destruct() { eval("class Dies {}"); }
        }
        ob_start(function () { RedisLock::waitWith(new Dies); return ""; });
        return;', '~Fatal error: ~'],
    'the memory limit'
        => ['ini_set("memory_limit", "8M"); $a = str_repeat("a", 16 << 20);',
            '~Allowed memory size of 8388608 bytes exhausted~'],
    'the memory limit in a section' => ['ini_set("memory_limit", "8M");
        $lock->synchronized("section", fn () => str_repeat("a", 16 << 20));',
        '~Allowed memory size of 8388608 bytes exhausted~'],
    'the memory limit, step by step, with a handler that runs out of it, too' =>
        ['ini_set("memory_limit", "8M");
        register_shutdown_function(function () { $a = []; while (true) { $a[] = new stdClass; } });
        $a = []; while (true) { $a[] = new stdClass; }',
        '~Allowed memory size.*Allowed memory size~s'],
];

$server = start_server();
$fpm = start_fpm($server);
$worker = $fpm->normal('first');
foreach ($endings as $what => [$code, $logged]) {
    $request = $fpm->run('
        $lock = new RedisLock();
        $lease = $lock->lease("k");
        echo json_encode([getmypid(), $lease->isHeld(), $lock->owner("k") === $lease->token()]);
        flush();
        ' . $code . '
        if ($_GET["ends"]) { echo "not here"; }', ['ends' => $code !== '']);
    matches("$what: the lock was held", "~^\[$worker,true,true\](bye)?$~D", $request->body);
    matches("$what: logged", $logged, $request->errors);
    check("$what: it ended", $request->endedAt !== null);
    same("$what: keys", [], $server->keys());
    $fpm->normal($what, 'k', $worker);
}
same('clients', 1, count($server->client()->clients()));

done();
?>
--EXPECT--
ok
