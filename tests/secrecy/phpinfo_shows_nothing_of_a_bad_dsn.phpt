--TEST--
phpinfo() shows no part of a DSN that it cannot read, because a password may be anywhere in it.
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
require __DIR__ . '/../inc/child.inc';

foreach (['redis://:S3CRET word@host', 'redis-sentinel://a:1,b:2/m?sentinel_password=S3CRET',
    'redis://h?password=S3CRET',
    'redis://user:S3CRET', 'redis://h#S3CRET', 'S3CRET', 'redis://:S3CRET@host:6379/2'] as $dsn) {
    $info = run_php('phpinfo(INFO_MODULES);', ini: ['redislock.servers' => '"' . $dsn . '"']);
    check("has it: $dsn", str_contains($info, 'redislock.servers'));
    check("no secret: $dsn", !str_contains($info, 'S3CRET')
        && !str_contains($info, 'word@'), $info);
}

done();
?>
--EXPECT--
ok
