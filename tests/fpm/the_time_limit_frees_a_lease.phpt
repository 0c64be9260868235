--TEST--
Under FPM the time limit ends the script, frees its lease and leaves the worker alive.
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

$server = start_server();
$fpm = start_fpm($server);
$worker = $fpm->normal('first');
foreach (['in the script' => 'while (true) {}',
        'in a section' => '$lock->synchronized("section", function () { while (true) {} });']
        as $what => $code) {
    $request = $fpm->run('
        set_time_limit(1);
        $lock = new RedisLock();
        $lease = $lock->lease("k");
        echo json_encode($lease->isHeld());
        ' . $code);
    same("$what: held", 'true', $request->body);
    matches("$what: logged", '~Maximum execution time of 1 second exceeded~', $request->errors);
    $fpm->normal($what, 'k', $worker);
}

done();
?>
--EXPECT--
ok
