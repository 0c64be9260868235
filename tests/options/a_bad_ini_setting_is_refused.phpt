--TEST--
ini_set() refuses servers that are not valid DSNs; from php.ini they are a ValueError of the constructor.
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
ini_set('redislock.servers', $server->dsn());
$warnings = [];
set_error_handler(function (int $level, string $message) use (&$warnings): bool {
    $warnings[] = $message;
    return true;
});
foreach (['http://host', 'redis://host:0', 'nonsense', 'redis://user@host'] as $bad) {
    same("ini_set() of $bad", false, ini_set('redislock.servers', $bad));
}
same('warnings', 4, count(preg_grep('~redislock\.servers stays as it was~', $warnings)));
same('the old value stays', $server->dsn(), ini_get('redislock.servers'));
matches('and works', TOKEN, (new RedisLock())->acquire('k'));
$seen = run_php('try { new RedisLock(); } catch (ValueError $e) { echo $e->getMessage(); }', [],
    ['redislock.servers' => 'http://host']);
matches('from the command line', '~redislock\.servers~', $seen);

done();
?>
--EXPECT--
ok
