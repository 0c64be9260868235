--TEST--
A label that is empty, too long, or not printable ASCII is a ValueError; ini_set() refuses it, and from php.ini it is a ValueError.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$form = '1 to 64 printable ASCII characters without spaces';
$bad = ['', ' ', 'a b', "a\n", "a\0", "\x7f", "caf\u{e9}", str_repeat('x', 65)];
foreach ($bad as $value) {
    throws('the argument ' . show($value), 'ValueError', "~\(\\\$label\) must be $form~",
        fn () => new RedisLock($server->dsn(), label: $value));
}
throws('an array', 'TypeError', '~\(\$label\).*string~',
    fn () => new RedisLock($server->dsn(), label: []));
foreach (['!', '~', 'a@b', str_repeat('x', 64), '0'] as $value) {
    same("the argument $value", '@' . $value,
        substr((string) (new RedisLock($server->dsn(), label: $value))->acquire("k$value"), 28));
}

same('the default', '', ini_get('redislock.label'));
same('ini_set()', '', ini_set('redislock.label', 'web-3'));
$warnings = [];
set_error_handler(function (int $level, string $message) use (&$warnings): bool {
    $warnings[] = $message;
    return $level === E_WARNING;
});
foreach (array_diff($bad, ['']) as $value) {
    same('ini_set() of ' . show($value), false, ini_set('redislock.label', $value));
    same('it stays after ' . show($value), 'web-3', ini_get('redislock.label'));
}
same('warnings', count($bad) - 1, count(preg_grep(
    "~^(ini_set\(\): )?redislock\.label stays as it was, because the new value is not $form~",
    $warnings)));
restore_error_handler();
same('ini_set() to the default', 'web-3', ini_set('redislock.label', ''));

$code = '
    foreach ([fn () => new RedisLock($argv[1]), fn () => RedisLock::token()] as $try) {
        try {
            $try();
            echo "nothing\n";
        } catch (ValueError $e) {
            echo $e->getMessage(), "\n";
        }
    }
    echo (new RedisLock($argv[1], label: "good"))->acquire("k") === null ? "?" : "taken";';
$says = "The INI setting redislock.label must be $form";
same('php.ini', "$says\n$says\ntaken",
    run_php($code, [$server->dsn()], ['redislock.label' => 'a b']));

done();
?>
--EXPECT--
ok
