--TEST--
ini_set() refuses a redislock.max_hold that is not a number of seconds; from php.ini it is a ValueError of each lease.
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
$lock = new RedisLock($server->dsn());
same('ini_set()', '0', ini_set('redislock.max_hold', '7.5'));
$warnings = [];
set_error_handler(function (int $level, string $message) use (&$warnings): bool {
    $warnings[] = $message;
    return $level === E_WARNING;
});
$bad = ['x', '', ' ', '-1', '-0.001', 'NAN', 'INF', '5s', '5 ', '1,5', '0x10', "5\0", 'null'];
foreach ($bad as $value) {
    same('ini_set() of ' . show($value), false, ini_set('redislock.max_hold', $value));
    same('it stays after ' . show($value), '7.5', ini_get('redislock.max_hold'));
}
same('warnings', count($bad),
    count(preg_grep('~^(ini_set\(\): )?redislock\.max_hold stays as it was~', $warnings)));
restore_error_handler();
foreach (['0', '0.0', '1e3', '.5', '5.', '31536000'] as $value) {
    check("ini_set() of $value", ini_set('redislock.max_hold', $value) !== false);
}
ini_restore('redislock.max_hold');
same('ini_restore()', '0', ini_get('redislock.max_hold'));

$code = '
    $lock = new RedisLock($argv[1]);
    $tries = [
        "lease" => fn () => $lock->lease("k"),
        "resume" => fn () => $lock->resume("k", "x"),
        "synchronized" => fn () => $lock->synchronized("k", fn () => 1),
        "acquire" => fn () => $lock->release("k", $lock->acquire("k")),
    ];
    foreach ($tries as $how => $try) {
        try {
            $says = json_encode($try());
        } catch (ValueError $e) {
            $says = $e->getMessage();
        }
        echo "$how: $says\n";
    }
    ini_set("redislock.max_hold", "60");
    echo $lock->lease("k")->isHeld() ? "held" : "?";';
$says = 'The INI setting redislock.max_hold must be 0 or more seconds';
foreach (['x', '', '-1', 'NAN'] as $value) {
    $seen = run_php($code, [$server->dsn()], ['redislock.max_hold' => $value]);
    same("php.ini, " . show($value),
        "lease: $says\nresume: $says\nsynchronized: $says\nacquire: true\nheld", $seen);
}
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
