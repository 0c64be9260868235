--TEST--
An uncontended acquire() sends one SET to each member, and a release sends one command or two to each.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_by_tls('a member whose handshake lasts longer than the call gets no command');
?>
--FILE--
<?php
require_once __DIR__ . '/../inc/members.inc';

$members = start_members(3);
$lock = $members->lock();
$lock->release('k', $lock->acquire('k')); // connects, and loads the scripts
$members->empty('at first');
$monitors = array_map(fn (TestServer $server) => $server->monitor(), $members->servers);
$token = $lock->acquire('k', 30);
$members->hold('acquire()', 'k', (string) $token);
same('release()', true, $lock->release('k', $token));
$members->empty('release()');
foreach ($monitors as $i => $monitor) {
    /* Without what this test looks with. */
    $lines = array_values(array_filter($monitor->lines(),
        fn ($line) => preg_match('~^(SET|EVAL|EVALSHA|DEL) ~', $line) === 1));
    /* A release whose answer is not read is followed by a release that needs no helper keys. */
    $second = array_slice($lines, 2);
    check("member $i: two commands", in_array($second, [[], ['EVAL SCRIPT 1 k TOKEN']], true),
        $lines);
    same("member $i: SET", 'SET k TOKEN NX PX 30000', $lines[0] ?? '');
    /* By its text where the SET's answer has not come yet. */
    matches("member $i: release", '~^(EVALSHA SHA|EVAL SCRIPT) .* TOKEN~', $lines[1] ?? '');
}

done();
?>
--EXPECT--
ok
