--TEST--
Under FPM memory:// and advance() are refused, whether the DSN comes from the code or from the settings, unless redislock.memory is on.
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

const CODE = <<<'PHP'
    foreach ([fn () => new RedisLock('memory://'),
            fn () => new RedisLock(['redis://127.0.0.1:1', 'memory://a']),
            fn () => ini_set('redislock.servers', 'memory://') && new RedisLock(),
            fn () => RedisLock::advance(1)] as $call) {
        try {
            $call();
            echo "done\n";
        } catch (Throwable $thrown) {
            echo get_class($thrown), ': ', $thrown->getMessage(), "\n";
        }
    }
    PHP;
const REFUSAL = 'memory:// is a server inside the process, for tests; outside of the CLI it needs '
    . 'the INI setting redislock.memory=1';

$server = start_server();
$fpm = start_fpm($server);
$body = $fpm->run(CODE)->body;
$lines = explode("\n", trim($body));
same('lines', 4, count($lines));
foreach ($lines as $n => $line) {
    check("refused ($n)", str_contains($line, REFUSAL), $line);
    same("class ($n)", $n < 3 ? 'ValueError' : 'Error', strstr($line, ':', true));
}

$fpm = start_fpm($server, ini: ['redislock.memory' => '1']);
same('allowed', "done\ndone\ndone\ndone\n", $fpm->run(CODE)->body);

done();
?>
--EXPECT--
ok
