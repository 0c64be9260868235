--TEST--
token() makes tokens with 18 random characters, each one new, each position of all letters, and then the time.
--EXTENSIONS--
redislock
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$begin = time();
$tokens = [];
for ($i = 0; $i < 20000; $i++) {
    $tokens[] = RedisLock::token();
}
same('form', [], array_values(preg_grep(TOKEN, $tokens, PREG_GREP_INVERT)));
same('all different', 20000, count(array_unique($tokens)));
for ($at = 4; $at < 22; $at++) {
    $counts = count_chars(implode('', array_map(fn ($token) => $token[$at], $tokens)), 1);
    same("letters at $at", 64, count($counts));
    check("no letter at $at is rare or frequent", min($counts) > 150 && max($counts) < 500,
        [min($counts), max($counts)]);
}
$digits = array_flip(str_split('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'));
foreach ([$tokens[0], end($tokens)] as $token) {
    $date = array_reduce(str_split(substr($token, 22, 6)),
        fn (int $date, string $digit) => $date << 6 | $digits[$digit], 0);
    between('the second', $begin, time(), $date);
}

done();
?>
--EXPECT--
ok
