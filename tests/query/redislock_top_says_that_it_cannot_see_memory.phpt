--TEST--
bin/redislock-top says that the locks of memory:// are inside another process.
--EXTENSIONS--
redislock
--FILE--
<?php
require __DIR__ . '/../inc/top.inc';

foreach (['memory://', 'memory://tests', 'MEMORY://tests'] as $dsn) {
    matches($dsn, '~^redislock-top: memory:// is inside the process ~', top('--once', $dsn));
}
matches('one of a set', '~^redislock-top: memory:// is ~',
    top('--once', 'memory://a', 'redis://127.0.0.1:1', 'redis://127.0.0.1:2'));

done();
?>
--EXPECT--
ok
