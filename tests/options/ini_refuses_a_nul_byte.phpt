--TEST--
An INI value with a NUL byte is refused, because the text after it would not be used.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/check.inc';

$warnings = [];
set_error_handler(function (int $level, string $message) use (&$warnings): bool {
    $warnings[] = "$level: $message";
    return true;
});
same('prefix', false, ini_set('redislock.prefix', "app\0A:"));
same('prefix is as it was', '', ini_get('redislock.prefix'));
same('servers', false, ini_set('redislock.servers', "redis://127.0.0.1\0junk"));
same('servers are as they were', 'redis://127.0.0.1:6379', ini_get('redislock.servers'));
same('max_hold', false, ini_set('redislock.max_hold', "5\0"));
same('max_hold is as it was', '0', ini_get('redislock.max_hold'));
same('warnings', 3, count($warnings));
foreach (['prefix', 'servers', 'max_hold'] as $i => $name) {
    matches("warning for $name", '~^' . E_WARNING . ": redislock.$name stays as it was~",
        $warnings[$i] ?? '');
}

done();
?>
--EXPECT--
ok
