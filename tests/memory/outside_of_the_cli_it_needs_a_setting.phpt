--TEST--
Under FPM memory://, advance() and flushMemory() are refused, whether the DSN comes from the code or from the settings, unless redislock.memory is on.
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
            fn () => RedisLock::advance(1),
            fn () => RedisLock::flushMemory()] as $call) {
        try {
            $call();
            echo "done\n";
        } catch (Throwable $thrown) {
            echo get_class($thrown), ': ', $thrown->getMessage(), "\n";
        }
    }
    PHP;
const REFUSAL = 'must not be memory:// outside of the CLI, because its locks exclude no other '
    . 'process; for tests set redislock.memory=1';
const REFUSALS = [
    'ValueError: RedisLock::__construct(): Argument #1 ($servers) ' . REFUSAL,
    'ValueError: RedisLock::__construct(): Argument #1 ($servers) ' . REFUSAL,
    'ValueError: The INI setting redislock.servers ' . REFUSAL,
    'Error: RedisLock::advance() is for tests; outside of the CLI it needs the INI setting '
        . 'redislock.memory=1',
    'Error: RedisLock::flushMemory() is for tests; outside of the CLI it needs the INI setting '
        . 'redislock.memory=1',
];

$server = start_server();
$fpm = start_fpm($server);
same('refused', implode("\n", REFUSALS) . "\n", $fpm->run(CODE)->body);

$fpm = start_fpm($server, ini: ['redislock.memory' => '1']);
same('allowed', str_repeat("done\n", 5), $fpm->run(CODE)->body);

done();
?>
--EXPECT--
ok
