--TEST--
token() makes tokens with 24 random characters, each one new, each position of all letters.
--EXTENSIONS--
redislock
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$tokens = [];
for ($i = 0; $i < 20000; $i++) {
    $tokens[] = RedisLock::token();
}
same('form', [], array_values(preg_grep(TOKEN, $tokens, PREG_GREP_INVERT)));
same('all different', 20000, count(array_unique($tokens)));
for ($at = 4; $at < 28; $at++) {
    $counts = count_chars(implode('', array_map(fn ($token) => $token[$at], $tokens)), 1);
    same("letters at $at", 64, count($counts));
    check("no letter at $at is rare or frequent", min($counts) > 150 && max($counts) < 500,
        [min($counts), max($counts)]);
}

done();
?>
--EXPECT--
ok
