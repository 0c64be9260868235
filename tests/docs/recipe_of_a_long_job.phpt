--TEST--
The recipe of a long job: its lock is renewed, and a batch whose lock was lost is not written.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/docs.inc';
skip_without_server();
skip_without_openssl_command();
skip_by_tls('it starts its own servers');
?>
--FILE--
<?php
require __DIR__ . '/../inc/docs.inc';

$docs = new DocRunner();
$import = fn () => recipe('import.php', [
    'usleep(20_000);' => 'usleep(' . (int) (1e6 * room(0.4)) . ');',
    'ttl: 10' => 'ttl: ' . room(0.6)]);
same('longer than its TTL', "batch 1 is written\nbatch 2 is written\nbatch 3 is written",
    $docs->run($import()));
$run = $docs->start($import());
$run->expect('~batch 1 is written~');
same('meanwhile', 'another import is running', $docs->run(recipe('import.php')));
$docs->server()->cmd('DEL', 'app:import');
$output = $run->output();
matches('a lost lock', '~RedisLockLostException~', $output);
check('no batch after the loss', !str_contains($output, 'batch 3'), $output);
same('locks', [], $docs->locks());

done();
?>
--EXPECT--
ok
