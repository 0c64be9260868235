--TEST--
However a script ends while renewals are on their way, they renew no lock that the end has freed.
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

require __DIR__ . '/../inc/fake_server.inc';

/* Renewals, on the second connection, are held back for longer than the script lives on, and
 * carried out then. */
$server = start_server();
$unit = room(0.1);
$held_back = ['on' => 'EVALSHA', 'connection' => 2, 'times' => 1,
    'do' => [wait_for(4 * $unit), 'pass']];
$ends = ['return' => 'return;', 'release()' => 'foreach ($leases as $lease) { $lease->release(); }',
    'unset' => '$leases = [];', 'exit' => 'exit;',
    'exit in a section' => '$lock->synchronized("s", fn () => exit);',
    'an exception' => 'throw new LogicException("x");', 'a TypeError' => 'strlen([]);',
    'a fatal error' => 'trigger_error("x", E_USER_ERROR);',
    'eval' => 'eval("class A {} class A {}");',
    'the memory limit' => 'ini_set("memory_limit", "16M"); str_repeat("x", 1 << 26);',
    'a cycle' => '$leases[] = &$leases;',
    'a static' => 'class S { static $kept; } S::$kept = $leases;',
    'a Fiber' =>
        '$f = new Fiber(fn () => [$leases, Fiber::suspend()]); $f->start(); unset($leases);',
        'a shutdown function' => 'register_shutdown_function(fn () => exit);'];
$fakes = $children = [];
$n = 0;
foreach (array_chunk($ends, 5, true) as $some) {
    foreach ($some as $what => $end) {
        $fakes[$what] = fake_server([$held_back], $server, true);
        $children[$what] = start_and_stop_at(CHILD_BEGINS
            . 'for ($i = 0; $i < 3; $i++) {
                $leases[] = $lock->lease("$argv[2]$i", (float) $argv[3]);
            }', $end, [$fakes[$what]->dsn('?timeout=' . 10 * $unit), "k$n:", 12 * $unit]);
        $keys[$what] = [...array_map(fn ($i) => "k$n:$i", range(0, 2))];
        $n++;
    }
    /* The renewal is on its way. */
    foreach ($some as $what => $end) {
        eventually("$what: a renewal is on its way",
            fn () => $fakes[$what]->commands('EVALSHA') !== []);
        $children[$what]->tell('go');
    }
    foreach ($some as $what => $end) {
        $children[$what]->output();
        same("$what: keys at once", 0, $server->cmd('EXISTS', ...$keys[$what]));
    }
    foreach ($some as $what => $end) {
        $fakes[$what]->drain(); // what was held back is carried out
        same("$what: keys then", 0, $server->cmd('EXISTS', ...$keys[$what]));
        $late = array_filter($fakes[$what]->commands(), fn ($command) => $command['connection']
            === 2 && str_starts_with($command['args'][0], 'EVAL'));
        check("$what: renewals were held back", $late !== []);
        $fakes[$what]->stop();
    }
}
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
