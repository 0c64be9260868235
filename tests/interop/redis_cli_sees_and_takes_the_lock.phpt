--TEST--
redis-cli sees our lock, and the class respects a lock that redis-cli takes and frees.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
if (trim((string) shell_exec('command -v redis-cli valkey-cli'))
    === '') { die('skip no redis-cli'); }
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$program = strtok((string) shell_exec('command -v redis-cli valkey-cli'), "\n");
$cli =
    fn (string ...$args) =>
        rtrim((string) shell_exec(implode(' ',
            array_map('escapeshellarg', [$program, '-s', $server->socket, ...$args]))), "\n");
$lock = new RedisLock($server->dsn());
same('SET', 'OK', $cli('SET', 'k', 'cli', 'NX', 'PX', '20000'));
same('acquire()', null, $lock->acquire('k'));
same('owner()', 'cli', $lock->owner('k'));
same('DEL', '1', $cli('DEL', 'k'));
$token = $lock->acquire('k');
same('GET', $token, $cli('GET', 'k'));
same('SET', '', $cli('SET', 'k', 'cli', 'NX', 'PX', '20000'));
same('release()', true, $lock->release('k', $token));

done();
?>
--EXPECT--
ok
