--TEST--
Under FPM a lease that PHP frees late or never is freed at the end of the request, and not before.
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

/* How the lease is kept when the script comes to its end. */
$keepers = [
    'in a cycle' => '$a = new stdClass; $a->self = $a; $a->lease = $lease;',
    'in an array that holds itself' => '$a = [$lease]; $a[] = &$a;',
    'in a static variable' =>
        'function keep($lease) { static $kept; $kept = $lease; } keep($lease);',
    'in a static property' => 'class Kept { static $lease; } Kept::$lease = $lease;',
    'in a closure that holds itself' => '$a = function () use ($lease, &$a) {};',
    'in a shutdown function' => 'register_shutdown_function(function () use ($lease) {});',
    'in a suspended generator' =>
        '$a = (function ($lease) { yield 1; echo "not here"; })($lease); $a->current();',
    'in a suspended generator with finally'
        => '$a = (function ($lease) { try { yield 1; } finally { echo $lease->isHeld() ? "" : "lost"; } })($lease); $a->current();',
    'in a suspended generator of a cycle'
        => '$b = new stdClass; $a = (function ($lease, $b) { yield 1; })($lease, $b); $a->current(); $b->a = $a;',
    'in a suspended fiber' =>
        '$a = new Fiber(function ($lease) { Fiber::suspend(); echo "not here"; }); $a->start($lease);',
    'in a suspended fiber of a cycle' =>
        '$a = new Fiber(function ($lease) use (&$a) { Fiber::suspend(); }); $a->start($lease);',
    'in a section of a suspended fiber'
        => '$lease->release();
        $a = new Fiber(fn () => $lock->synchronized("k", function ($mine) use ($looker) {
            $looker->token = $mine->token();
            Fiber::suspend();
        }));
        $a->start();',
    'in an exception that is kept' => 'ini_set("zend.exception_ignore_args", 0);
        try { (function ($lease) { throw new Exception; })($lease); } catch (Exception $a) {}',
    'in an object whose destructor keeps it' =>
        'class D { public $lease; function __destruct() { $GLOBALS["kept"] = $this; } }
        $a = new D; $a->lease = $lease;',
];
$ends = [
    'return' => ['return;', '~^$~'],
    'exit' => ['exit;', '~^$~'],
    'an exception' => ['throw new RuntimeException("oh");', '~Uncaught RuntimeException: oh~'],
    'a fatal error' => ['eval("class RedisLock {}");', '~Fatal error: ~'],
];

$server = start_server();
$fpm = start_fpm($server);
$worker = $fpm->normal('first');
foreach ($keepers as $how => $keep) {
    foreach ($ends as $end => [$code, $logged]) {
        $request = $fpm->run('
            $lock = new RedisLock();
            $lease = $lock->lease("k");
            class Looker
            {
                public $token;
                function __destruct()
                {
                    echo " ", (new RedisLock())->owner("k") === $this->token ? "held" : "freed";
                }
            }
            $looker = new Looker;
            $looker->token = $lease->token();
            ' . $keep . '
            unset($lease);
            echo $lock->owner("k") === $looker->token ? "held" : "freed";
            ' . $code);
        /* After a fatal error there are no destructors. That of a fiber unwinds what it was at, as
         * an exception would. */
        $late = str_contains($how, 'fiber') ? '(held|freed)' : 'held';
        matches("$how, $end: it was held until then",
            $end === 'a fatal error' ? '~^held$~D' : "~^held $late$~D", $request->body);
        matches("$how, $end: logged", $logged, $request->errors);
        $fpm->normal("$how, $end", 'k', $worker);
    }
}

done();
?>
--EXPECT--
ok
