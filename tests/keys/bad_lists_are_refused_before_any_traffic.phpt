--TEST--
A bad list of keys is a ValueError or TypeError before anything is sent.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn(), prefix: 'app:');
$lists = [
    'no key' => [[], 'ValueError', 'must have 1 to 64 keys'],
    'too many' => [array_fill(0, 65, 'k'), 'ValueError', 'must have 1 to 64 keys'],
    'a text as index' => [['from' => 'a', 'to' => 'b'], 'ValueError',
        'must be a list of keys, but has the index "from"'],
    'an empty key' => [['a', ''], 'ValueError', 'must not be empty'],
    'a key that is too long' => [['a', str_repeat('k', 65536)], 'ValueError',
        'must be at most 64 KiB long, with its prefix'],
    'a helper key' => [['a', 'a:rl-wait'], 'ValueError', 'must not end in :rl-wait'],
    'a number' => [['a', 1], 'TypeError', 'must contain only strings, but contains int'],
    'null' => [['a', null], 'TypeError', 'must contain only strings, but contains null'],
    'an array' => [['a', ['b']], 'TypeError', 'must contain only strings, but contains array'],
];
$section = fn () => check('the section is not called', false);
without_traffic('bad lists', $server, function () use ($lock, $lists, $section): void {
    foreach ($lists as $what => [$list, $class, $message]) {
        $regex = fn ($method) =>
            '~^' . preg_quote("RedisLock::$method(): Argument #1 (\$key) $message") . '~';
        throws("$what: lease()", $class, $regex('lease'), fn () => $lock->lease($list));
        throws("$what: synchronized()", $class, $regex('synchronized'),
            fn () => $lock->synchronized($list, $section));
    }
    throws('a token', 'ValueError',
        '~^RedisLock::lease\(\): Argument #7 \(\$token\) must be null for an array of keys~',
        fn () => $lock->lease(['a', 'b'], token: 'mine'));
    throws('acquire() has one key', 'TypeError', '~must be of type string, array given~',
        fn () => $lock->acquire(['a', 'b']));
});
same('64 keys', 64, count($lock->lease(array_map(strval(...), range(1, 64)))->keys()));
same('keys', [], $server->locks());

done();
?>
--EXPECT--
ok
