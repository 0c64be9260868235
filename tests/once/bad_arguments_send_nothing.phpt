--TEST--
Bad arguments of once(), and the mark as a token, are refused before any traffic.
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

$lock = new RedisLock('unix:///nowhere.sock');
$section = fn () => check('the section is not called', false);
foreach ([0, -1, 0.0049, 366 * 86400.0 + 1, NAN, INF] as $for) {
    throws('for: ' . var_export($for, true), 'ValueError',
        '~Argument #3 \(\$for\) must be between 0\.005 seconds and 366 days~',
        fn () => $lock->once('mail', $section, for: $for));
}
throws('ttl', 'ValueError', '~Argument #4 \(\$ttl\)~',
    fn () => $lock->once('mail', $section, 1, 0));
throws('wait', 'ValueError', '~Argument #5 \(\$wait\)~',
    fn () => $lock->once('mail', $section, 1, 1, -1));
throws('maxHold', 'ValueError', '~Argument #7 \(\$maxHold\)~',
    fn () => $lock->once('mail', $section, 1, maxHold: 0));
throws('key', 'ValueError', '~Argument #1 \(\$key\)~', fn () => $lock->once('', $section, 1));
throws('a list', 'TypeError', '~\(\$key\) must be of type string, array given~',
    fn () => $lock->once(['a', 'b'], $section, 1));
throws('a bool', 'TypeError', '~\(\$for\)~', fn () => $lock->once('mail', $section, true));
throws('no callable', 'TypeError', '~\(\$section\)~', fn () => $lock->once('mail', 'nothing', 1));
$calls = ['acquire' => fn () => $lock->acquire('k', token: 'rl1.done'),
    'lease' => fn () => $lock->lease('k', token: 'rl1.done'),
    'release' => fn () => $lock->release('k', 'rl1.done'),
    'extend' => fn () => $lock->extend('k', 'rl1.done', 1),
    'resume' => fn () => $lock->resume('k', 'rl1.done')];
foreach ($calls as $name => $call) {
    throws($name, 'ValueError',
        '~\(\$token\) must not be "rl1\.done", which marks work that is done~', $call);
}

done();
?>
--EXPECT--
ok
