--TEST--
Parent and children never draw the same token.
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

$folder = test_folder();
RedisLock::token();
for ($n = 0; $n < 3; $n++) {
    $forks[] =
        in_fork(fn () => file_put_contents("$folder/$n",
            implode("\n", array_map(fn () => RedisLock::token(), range(1, 100)))));
}
$tokens = array_map(fn () => RedisLock::token(), range(1, 100));
foreach ($forks as $n => $fork) {
    reap($fork);
    $tokens = array_merge($tokens, file("$folder/$n", FILE_IGNORE_NEW_LINES));
    unlink("$folder/$n");
}
rmdir($folder);
same('tokens', 400, count($tokens));
same('all different', 400, count(array_unique($tokens)));

done();
?>
--EXPECT--
ok
