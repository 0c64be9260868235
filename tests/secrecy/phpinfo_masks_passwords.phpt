--TEST--
phpinfo() shows versions and settings, with passwords masked.
--EXTENSIONS--
redislock
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$ini = ['redislock.servers' => 'redis://user:S3CRET@127.0.0.1:1/2', 'redislock.prefix' => 'shop:'];
foreach (['phpinfo();', 'ini_set("redislock.servers", "redis://:S3CRET@10.0.0.1"); phpinfo();',
        '(new ReflectionExtension("redislock"))->info();'] as $code) {
    $seen = run_php('new RedisLock(); ' . $code, [], $ini);
    matches('the section', '~^redislock$~m', $seen);
    matches('hiredis', '~hiredis.*\d+\.\d+~i', $seen);
    matches('the setting',
        '~redislock\.servers => .*127\.0\.0\.1|redislock\.servers => .*10\.0\.0\.1~', $seen);
    matches('the prefix', '~redislock\.prefix => shop:~', $seen);
    check('no secret', !str_contains($seen, 'S3CRET'),
        implode("\n", preg_grep('~S3CRET~', explode("\n", $seen))));
}
/* The command line masks it as well, except where PHP asks no extension, as the docs say. */
foreach (['-i' => false, '--ri redislock' => false, '--re redislock' => true,
        '-r "print_r(ini_get_all(\'redislock\'));"' => true] as $words => $is_shown) {
    $seen = (string) shell_exec(php_command($ini) . " $words");
    matches("$words: the setting", '~redislock\.servers~', $seen);
    same("$words shows it", $is_shown, str_contains($seen, 'S3CRET'));
}
foreach (['redis://S3CRET@host', 'user:S3CRET', 'redis://u:S3C@RET-S3CRET@host',
        "unix://u:S3CRET@/run/s redis://:S3CRET@b", 'redis://h?password=S3CRET'] as $odd) {
    $seen = run_php('ini_set("redislock.servers", base64_decode($argv[1])); phpinfo();',
        [base64_encode($odd)]);
    check("no secret of $odd",
        !preg_match('~S3CRET|RET-~',
            implode("\n", preg_grep('~redislock|redis:~', explode("\n", $seen)))), implode("\n",
            preg_grep('~S3CRET|RET-~', explode("\n", $seen))));
}

done();
?>
--EXPECT--
ok
