--TEST--
The number of leases of a request is limited, because PHP's memory limit does not count them and their release has little time.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$code = CHILD_BEGINS . <<<'PHP'
    $length = (int) $argv[2];
    $resident = fn () => (int) preg_replace('~.*VmRSS:\s+(\d+).*~s', '$1',
        file_get_contents('/proc/self/status'));
    $before = $resident();
    $all = [];
    try {
        for ($i = 0; $i < 60000; $i++) {
            $all[] = $lock->lease(str_pad("k$i:", $length, 'x'), 60);
        }
    } catch (RedisLockException $thrown) {
        echo $thrown::class, ': ', $thrown->getMessage(), "\n";
    }
    echo 'leases ', count($all), ', KiB ', $resident() - $before, "\n";
    PHP;
/* [length of a key, least, most] */
foreach ([[20, 8000, 12000], [60000, 40, 200]] as [$length, $least, $most]) {
    $rest = <<<'PHP'
        array_pop($all);
        $all[] = $lock->lease('another', 60);
        echo 'one more: ', end($all)->isHeld() ? 'held' : 'lost', "\n";
        PHP;
    $child = start_and_stop_at($code . $rest, '', [$server->dsn(), $length],
        ['memory_limit' => '8M']);
    $output = $child->expect('~one more: .*\n~');
    matches('refused', '~^RedisLockException: no room for another lease: this request has \d+ leases already~m', $output);
    check('told', preg_match('~^leases (\d+), KiB (\d+)$~m', $output, $m) === 1, $output);
    between("leases with keys of $length bytes", $least, $most, (int) $m[1]);
    check('memory', (int) $m[2] < 40000, $m[2]);
    matches('when one is dropped there is room again', '~one more: held~', $output);
    same('keys', (int) $m[1], $server->cmd('DBSIZE'));
    $child->tell('go');
    $child->output();
    /* All, as a rule. They have 0.2 s, in which a busy machine may do nothing for this process. */
    $left = $server->cmd('DBSIZE');
    check('the end frees them', crowding() > 2 || $left < $m[1] / 2, $left);
    $server->cmd('FLUSHALL');
}

done();
?>
--EXPECT--
ok
