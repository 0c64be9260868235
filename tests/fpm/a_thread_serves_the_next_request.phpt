--TEST--
Under FPM the thread and the connections of a worker serve the next request, and no lease of the last request is renewed any more.
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

$ttl = room(0.3);
/* Each request has a lease with a key of its own, renewed at least once, and ends in its own
 * way. */
$ends = [
    'return' => ['', '~^$~'],
    'exit' => ['exit;', '~^$~'],
    'release()' => ['$lease->release();', '~^$~'],
    'detach()' => ['$lease->detach();', '~^$~'],
    'an exception' => ['throw new RuntimeException("oh");', '~Uncaught RuntimeException: oh~'],
    'a fatal error' => ['eval("class RedisLock {}");', '~Fatal error: ~'],
    'the memory limit' => ['ini_set("memory_limit", "8M"); str_repeat("a", 16 << 20);',
        '~Allowed memory size~'],
    'the time limit' => [(time_limit_is_a_timer() ? 'set_time_limit(1);'
        : 'set_time_limit(50); send_sigprof();') . ' while (true) {}', '~Maximum execution time~'],
    'a cycle' => ['$a = new stdClass; $a->self = $a; $a->lease = $lease; unset($lease);', '~^$~'],
    'a static, and a fatal error' =>
        ['class A { static $lease; } A::$lease = $lease; eval("class RedisLock {}");',
            '~Fatal error: ~'],
    'a suspended Fiber' => [
        '$f = new Fiber(fn () => [$lease, Fiber::suspend()]); $f->start(); unset($lease);', '~^$~'],
    'a section' => ['$lock->synchronized($_GET["key"] . "-b", fn () => exit, ' . $ttl . ');',
        '~^$~'],
    'a loss that nobody was told of' =>
        ['$kept = $lock->lease($_GET["key"] . "-b", ' . $ttl / 2
            . ', onLoss: fn () => throw new Exception());
        $lock->forceRelease($_GET["key"] . "-b");
        register_shutdown_function(fn () => usleep(' . (int) ($ttl * 0.5e6) . '));
        eval("class RedisLock {}");',
        '~^(?!.*Uncaught).*Fatal error: ~s'],
    'one of its own connection' =>
        ['$kept = (new RedisLock(persistent: false))->lease($_GET["key"] . "-b", ' . $ttl . ');
            usleep(' . (int) ($ttl * 0.5e6) . ');',
            '~^$~'],
    'fastcgi_finish_request()' => ['fastcgi_finish_request(); usleep(' . (int) ($ttl * 1.4e6)
        . '); $ignored = $lock->acquire("seen", token: $lease->isHeld() ? "held" : "lost");',
        '~^$~'],
];
$code = '
    function send_sigprof() { exec("kill -PROF " . getmypid()); }
    // what is left of a loss would come here
    for ($until = microtime(true) + 0.02; microtime(true) < $until;) {}
    $tasks = array_map(basename(...), glob("/proc/self/task/*"));
    $lock = new RedisLock();
    $lease = $lock->lease($_GET["key"], ' . $ttl . ');
    $until = microtime(true) + 5;
    while (RedisLock::stats()["renewed"] === (int) $_GET["renewed"] && microtime(true) < $until) {
        usleep(1000);
    }
    $tasks = array_map(basename(...), glob("/proc/self/task/*"));
    echo json_encode([getmypid(), array_values(array_diff($tasks, [getmypid()])),
        RedisLock::stats()["renewed"], RedisLock::stats()["lost"], $lease->isHeld()]);
    flush();
    ';
$server = start_server();
$fpm = start_fpm($server);
$n = 0;
/* The end of a request does not wait long for an answer: then it ends the connection, and leaves a
 * release to the thread. */
undisturbed(0.1, function () use ($server, $fpm, $ends, $code, $ttl, &$n): void {
    $server->cmd('FLUSHALL');
    [$worker, $renewed, $before] = json_decode($fpm->run('
        $stats = RedisLock::stats();
        echo json_encode([getmypid(), $stats["renewed"], $stats["lost"]]);')->body);
    Stall::watch($worker);
    $monitor = $server->monitor();
    $most = 0;
    $workers = $threads = [];
    $first = $n;
    foreach ($ends as $what => [$end, $logged]) {
        $request = $fpm->run($code . $end, ['key' => 'key-' . ++$n, 'renewed' => $renewed]);
        [$worker, $thread, $renewed, $lost, $is_held] = json_decode($request->body)
            ?? [0, [], 0, 0, $request->body];
        $workers[$worker] = true;
        $threads[implode(',', $thread)] = true;
        same("$what: held", true, $is_held);
        matches("$what: logged", $logged, $request->errors);
        $most = max($most, count($server->client()->clients()));
        if ($what === 'fastcgi_finish_request()') {
            eventually('it worked on', fn () => $server->cmd('GET', 'seen') === 'held');
        }
    }
    same('workers', 1, count($workers));
    same('threads', 1, count($threads));
    same('it is one thread', 1, count(explode(',', array_key_first($threads))));
    same('lost', 1, $lost - $before); // the one whose key was deleted
    between('connections at the same time', 2, 3, $most);
    $fpm->run($code, ['key' => 'key-' . ++$n, 'renewed' => $renewed]);
    usleep((int) ($ttl * 1.5e6));
    /* The worker begins a request when it is done with the last one: no key is spoken of after the
     * first word of the next. */
    $reached = 0;
    $spoken = [];
    foreach ($monitor->commands() as $command) {
        if (preg_match('~ key-(\d+)~', implode(' ', $command['args']), $m)) {
            $number = (int) $m[1];
            $spoken[$number] = ($spoken[$number] ?? 0) + 1;
            if ($number < $reached) {
                check("nothing of request $number in request $reached", false,
                    Monitor::readable($command['args']));
            }
            $reached = max($reached, $number);
        }
    }
    same('requests that were seen', $n - $first, count($spoken));
    check('renewals were seen', min($spoken) >= 2, $spoken);
    same('keys', ['0:seen'], $server->keys());
});

done();
?>
--EXPECT--
ok
